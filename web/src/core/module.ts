/**
 * Loads our WebAssembly modules and calls them: JSON request in, JSON response out.
 *
 * Responsible for the buffers between JavaScript and WebAssembly. The requests and their types are
 * generated from those of `castellan-wasm`.
 */

import type { Api, ApiError, LibraryCounts } from "./types";

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  ask(): number;
  answer(): number;
  /** Only in modules that read files. */
  feed?(): number;
}

/** Error with the code of a refused request. */
export class Refused extends Error {
  constructor(
    readonly code: ApiError["code"],
    text: string,
  ) {
    super(text);
    this.name = "Refused";
  }
}

type Reply = { ok: unknown } | { error: ApiError };

/** A loaded WebAssembly module. */
export class Module {
  readonly #exports: Exports;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /**
   * Loads a module. `onProgress` receives the number of bytes downloaded so far, and `onReport` the reports
   * of a request that is still running.
   */
  static async load(url: string, onProgress?: (bytes: number) => void, onReport?: (report: unknown) => void): Promise<Module> {
    const page = {
      now: () => performance.now(),
      tell(at: number, length: number) {
        const { memory } = instance.exports as unknown as Exports;
        onReport?.(JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, at, length))));
      },
    };
    const { instance } = await WebAssembly.instantiateStreaming(onProgress ? counted(url, onProgress) : fetch(url), { page });
    return new Module(instance.exports as unknown as Exports);
  }

  /** Sends a request and returns the response. Throws `Refused` if the module refuses it. */
  ask<Name extends keyof Api>(name: Name, request: Api[Name]["request"]): Api[Name]["response"] {
    this.#write(this.#encoder.encode(JSON.stringify({ [name]: request })));
    return this.#read(this.#exports.ask());
  }

  /** Passes the next bytes of a file to the module. */
  feed(bytes: Uint8Array): LibraryCounts {
    if (!this.#exports.feed) throw new Error("this module takes no files");
    this.#write(bytes);
    return this.#read(this.#exports.feed());
  }

  #write(bytes: Uint8Array): void {
    const at = this.#exports.reserve(bytes.length);
    if (at === 0) throw new Refused("too_long", "the request is too long");
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
  }

  #read<T>(length: number): T {
    const view = new Uint8Array(this.#exports.memory.buffer, this.#exports.answer(), length);
    const reply = JSON.parse(this.#decoder.decode(view)) as Reply;
    if ("error" in reply) throw new Refused(reply.error.code, reply.error.text);
    return reply.ok as T;
  }
}

/** Fetches a file and reports how many bytes have arrived, after decompression. */
async function counted(url: string, onProgress: (bytes: number) => void): Promise<Response> {
  const { body, status, headers } = await fetch(url);
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      bytes += chunk.length;
      onProgress(bytes);
      out.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(count) ?? null, { status, headers });
}
