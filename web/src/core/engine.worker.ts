/** The engine in a thread of its own: one question after the other, and nothing else. */

import engineUrl from "../wasm/engine.wasm?url";
import { Module, Refused } from "./module";

const loading = Module.load(engineUrl, (text) => postMessage({ told: JSON.parse(text) as unknown }));

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
