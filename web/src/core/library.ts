/** Client of the library worker, which reads and searches PGN files of any size. */

import { Refused } from "./module";
import type { ApiError, Exploration, FileRange, Filter, GameRow, LibraryCounts } from "./types";

export interface ReadProgress {
  counts: LibraryCounts;
  bytes: number;
  isOver: boolean;
}

export type Ask =
  | { do: "open"; file: File; turn: number }
  | { do: "filter"; filter: Filter }
  | { do: "rows"; from: number; count: number }
  | { do: "ranges" }
  | { do: "explore" }
  | { do: "text"; offset: number; length: number }
  | { do: "stop" };

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number;
  answer?: unknown;
  error?: string;
  /** Code of a refused request. */
  code?: ApiError["code"];
  turn?: number;
  progress?: ReadProgress;
  failed?: string;
}

/** Owns the worker and the requests waiting for an answer. */
export class Reader {
  readonly #worker = new Worker(new URL("./library.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #turn = 0;

  constructor(
    readonly onprogress: (progress: ReadProgress) => void,
    readonly onfailure: (text: string) => void,
  ) {
    this.#worker.onmessage = (event: MessageEvent<Message>) => this.#receive(event.data);
    this.#worker.onerror = (event) => this.onfailure(event.message);
  }

  #receive({ id, answer, error, code, turn, progress, failed }: Message): void {
    if (turn !== undefined) {
      if (turn !== this.#turn) return;
      if (progress) this.onprogress(progress);
      else this.onfailure(failed ?? "");
      return;
    }
    const asked = id === undefined ? undefined : this.#waiting.get(id);
    if (!asked || id === undefined) return;
    this.#waiting.delete(id);
    if (error === undefined) asked.resolve(answer);
    else asked.reject(code ? new Refused(code, error) : new Error(error));
  }

  #ask<T>(ask: Ask): Promise<T> {
    const id = ++this.#last;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ask });
    }) as Promise<T>;
  }

  /** Opens a file in place of the current one. Progress is reported to `onprogress`. */
  open(file: File): void {
    this.#turn += 1;
    this.#worker.postMessage({ ask: { do: "open", file, turn: this.#turn } satisfies Ask });
  }

  /** Stops reading. The games read so far stay. */
  stop(): Promise<LibraryCounts> {
    this.#turn += 1;
    return this.#ask({ do: "stop" });
  }

  /** Filters the games. Resolves to `undefined` if no file is open yet. */
  filter(filter: Filter): Promise<LibraryCounts | undefined> {
    return this.#ask({ do: "filter", filter });
  }

  rows(from: number, count: number): Promise<GameRow[] | undefined> {
    return this.#ask({ do: "rows", from, count });
  }

  /** Returns where the games of the list are in the file. */
  ranges(): Promise<FileRange[] | undefined> {
    return this.#ask({ do: "ranges" });
  }

  /** Returns the moves that were played in the position of the filter. */
  explore(): Promise<Exploration | undefined> {
    return this.#ask({ do: "explore" });
  }

  text(row: GameRow): Promise<string> {
    return this.#ask({ do: "text", offset: row.offset, length: row.length });
  }
}
