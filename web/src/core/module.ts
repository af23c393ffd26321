/**
 * A module of ours in WebAssembly: a question in, an answer out, both JSON.
 *
 * Owns the buffers between the two worlds. Knows nothing of what is asked.
 */

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  ask(): number;
  answer(): number;
  /** Only in modules that take files. */
  feed?(): number;
}

/** Why a question had no answer. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    text: string,
  ) {
    super(text);
    this.name = "Refused";
  }
}

type Reply = { ok: unknown } | { error: { code: string; text: string } };

/** A module that was loaded. */
export class Module {
  readonly #exports: Exports;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /**
   * Loads a module; `tell` hears what it says while it is still answering, and `arrive` how many of
   * its bytes are here.
   */
  static async load(url: string, tell: (text: string) => void = () => {}, arrive?: (bytes: number) => void): Promise<Module> {
    let exports: Exports | undefined;
    const page = {
      now: () => performance.now(),
      tell: (at: number, length: number) => {
        if (exports) tell(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length)));
      },
    };
    const { instance } = await WebAssembly.instantiateStreaming(arrive ? counted(url, arrive) : fetch(url), { page });
    exports = instance.exports as unknown as Exports;
    return new Module(exports);
  }

  /** Asks; throws `Refused` where there is no answer. */
  ask(question: object): unknown {
    this.#write(this.#encoder.encode(JSON.stringify(question)));
    return this.#read(this.#exports.ask());
  }

  /** Hands over the next bytes of a file. */
  feed(bytes: Uint8Array): unknown {
    if (!this.#exports.feed) throw new Error("this module takes no files");
    this.#write(bytes);
    return this.#read(this.#exports.feed());
  }

  #write(bytes: Uint8Array): void {
    const at = this.#exports.reserve(bytes.length);
    if (at === 0) throw new Refused("too_long", "the question is too long");
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
  }

  #read(length: number): unknown {
    const view = new Uint8Array(this.#exports.memory.buffer, this.#exports.answer(), length);
    const reply = JSON.parse(this.#decoder.decode(view)) as Reply;
    if ("error" in reply) throw new Refused(reply.error.code, reply.error.text);
    return reply.ok;
  }
}

/** Fetches a file and tells how many of its bytes have arrived, after unpacking. */
async function counted(url: string, arrive: (bytes: number) => void): Promise<Response> {
  const { body, status, headers } = await fetch(url);
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      bytes += piece.length;
      arrive(bytes);
      out.enqueue(piece);
    },
  });
  return new Response(body?.pipeThrough(count) ?? null, { status, headers });
}
