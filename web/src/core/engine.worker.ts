/** The engine in its own thread. Answers one request after another. */

import engineUrl from "../wasm/engine.wasm?url";
import { Module, Refused } from "./module";
import type { Api } from "./types";

/** What the engine is asked. */
export type EngineName = "search" | "consider_draw" | "find_puzzles";
export type EngineRequest = { [Name in EngineName]: { name: Name; request: Api[Name]["request"] } }[EngineName];

/** Uncompressed size of the module, set by the build; the server may send it compressed. */
declare const __ENGINE_BYTES__: number;

let reported = 0;

/** Reports the download progress, once per percent. */
function arrive(bytes: number): void {
  const loaded = Math.min(bytes / __ENGINE_BYTES__, 0.99);
  if (loaded < reported + 0.01) return;
  reported = loaded;
  postMessage({ loaded });
}

/** Id of the request that is being answered. */
let now = 0;

const loading = Module.load(engineUrl, arrive, (report) => postMessage({ id: now, report }));
// A failed load is reported to each request; here it only ends the progress display.
void loading.catch(() => undefined).then(() => postMessage({ loaded: 1 }));

onmessage = async (event: MessageEvent<{ id: number } & EngineRequest>) => {
  const { id, name, request } = event.data;
  try {
    const module = await loading;
    now = id;
    postMessage({ id, answer: module.ask(name, request) });
  } catch (error) {
    const code = error instanceof Refused ? error.code : "engine_failed";
    postMessage({ id, error: code, text: String(error) });
  }
};
