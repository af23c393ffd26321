/** One of the page's WebAssembly modules in this process, without a browser, so that nothing else is measured. */

import { readFileSync } from "node:fs";
import type { Api } from "../src/core/types";

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  ask(): number;
  answer(): number;
}

export class LocalModule {
  readonly #exports: Exports;
  /** Bytes of the last response. */
  bytes = 0;

  constructor(path: string) {
    const compiled = new WebAssembly.Module(readFileSync(path));
    const page = { now: () => performance.now(), tell: () => {} };
    this.#exports = new WebAssembly.Instance(compiled, { page }).exports as unknown as Exports;
  }

  ask<Name extends keyof Api>(name: Name, request: Api[Name]["request"]): Api[Name]["response"] {
    const sent = new TextEncoder().encode(JSON.stringify({ [name]: request }));
    const at = this.#exports.reserve(sent.length);
    new Uint8Array(this.#exports.memory.buffer, at, sent.length).set(sent);
    this.bytes = this.#exports.ask();
    const view = new Uint8Array(this.#exports.memory.buffer, this.#exports.answer(), this.bytes);
    const reply = JSON.parse(new TextDecoder().decode(view)) as { ok: Api[Name]["response"] } | { error: object };
    if ("error" in reply) throw new Error(JSON.stringify(reply.error));
    return reply.ok;
  }
}
