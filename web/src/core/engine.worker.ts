/** The engine in its own thread. Answers one request after another. */

import engineUrl from "../wasm/engine.wasm?url";
import { Module, Refused } from "./module";

/** Uncompressed size of the module, set by the build; the server may send it compressed. */
declare const __ENGINE_BYTES__: number;

let told = 0;

/** Reports the download progress, once per percent. */
function arrive(bytes: number): void {
  const loaded = Math.min(bytes / __ENGINE_BYTES__, 0.99);
  if (loaded < told + 0.01) return;
  told = loaded;
  postMessage({ loaded });
}

const loading = Module.load(engineUrl, (text) => postMessage({ told: JSON.parse(text) as unknown }), arrive);
// A failed load is reported to each request; here it only ends the progress display.
void loading.catch(() => undefined).then(() => postMessage({ loaded: 1 }));

onmessage = async (event: MessageEvent<{ id: number; task: object }>) => {
  const { id, task } = event.data;
  try {
    const module = await loading;
    // A task without a `do` of its own is a position to search.
    postMessage({ id, thought: module.ask({ do: "think", ...task }) });
  } catch (error) {
    const code = error instanceof Refused ? error.code : "engine_failed";
    postMessage({ id, error: code, text: String(error) });
  }
};
