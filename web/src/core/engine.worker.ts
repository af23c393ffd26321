/** The engine in a thread of its own: one question after the other, and nothing else. */

import engineUrl from "../wasm/engine.wasm?url";
import { Module, Refused } from "./module";

/** The size of the module, which the build knows: what a server sends may be packed. */
declare const __ENGINE_BYTES__: number;

let told = 0;

/** Tells every further percent. */
function arrive(bytes: number): void {
  const loaded = Math.min(bytes / __ENGINE_BYTES__, 0.99);
  if (loaded < told + 0.01) return;
  told = loaded;
  postMessage({ loaded });
}

const loading = Module.load(engineUrl, (text) => postMessage({ told: JSON.parse(text) as unknown }), arrive);
// Whoever asks a question hears of a failure; here it only means that nothing more comes.
void loading.catch(() => undefined).then(() => postMessage({ loaded: 1 }));

onmessage = async (event: MessageEvent<{ id: number; task: object }>) => {
  const { id, task } = event.data;
  try {
    const module = await loading;
    // A task that names no question is a position to think about.
    postMessage({ id, thought: module.ask({ do: "think", ...task }) });
  } catch (error) {
    const code = error instanceof Refused ? error.code : "engine_failed";
    postMessage({ id, error: code, text: String(error) });
  }
};
