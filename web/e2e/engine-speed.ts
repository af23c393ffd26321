/**
 * Compares the engine of the page with that of the program, in nodes per second.
 *
 * Both search the same positions in turn, so that other work on the machine slows both down alike.
 * Node.js runs the module with the compiler that Chromium has, too.
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { LocalModule } from "./local-module";

const NODES = 400_000;
const ROUNDS = 3;
/** Opening, middlegames and endings. */
const POSITIONS = [
  "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
  "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
  "2rq1rk1/1b2bppp/p2ppn2/1p6/3BPP2/1NNB4/PPPQ2PP/2KR3R b - - 3 14",
  "8/5pk1/1p2p1p1/p2rP2p/P1R2P1P/1P4P1/5K2/8 w - - 2 38",
  "6k1/5p2/4p1p1/1b1pP2p/1P1B1P1P/2P1K1P1/8/8 b - - 5 40",
];

/** Nodes and milliseconds of a search. */
type Search = (fen: string) => Promise<{ nodes: number; ms: number }>;

async function timed(run: () => Promise<number> | number): Promise<{ nodes: number; ms: number }> {
  const began = performance.now();
  const nodes = await run();
  return { nodes, ms: performance.now() - began };
}

/** The engine of a program that speaks UCI. */
class Program {
  readonly #process;
  readonly #lines;

  constructor(path: string) {
    this.#process = spawn(path, ["uci"], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** Sends lines and returns the one that starts with `until`, and the one before it. */
  async send(lines: string[], until: string): Promise<{ last: string; before: string }> {
    this.#process.stdin.write(`${lines.join("\n")}\n`);
    for (let before = ""; ; ) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error("the program ended");
      if (value.startsWith(until)) return { last: value, before };
      before = value;
    }
  }

  end(): void {
    this.#process.stdin.end("quit\n");
  }
}

/** Returns the nodes per second of the page's engine and of the program, over all positions. */
export async function compareEngines(module: string, program: string): Promise<{ page: number; native: number }> {
  const engine = new LocalModule(module);
  const native = new Program(program);
  await native.send(["uci", "isready"], "readyok");
  const searches: Record<"page" | "native", Search> = {
    page: (fen) => timed(() => engine.ask("search", { start: fen, moves: [], nodes: NODES }).nodes),
    native: async (fen) => {
      await native.send(["ucinewgame", `position fen ${fen}`, "isready"], "readyok");
      return timed(async () => {
        const { before } = await native.send([`go nodes ${NODES}`], "bestmove");
        return Number(/ nodes (\d+)/.exec(before)?.[1]);
      });
    },
  };
  const sides = ["page", "native"] as const;
  for (const side of sides) await searches[side](POSITIONS[0] ?? "");
  /** Milliseconds for all positions, of the fastest round for each. */
  const total = { page: 0, native: 0 };
  for (const fen of POSITIONS) {
    const best = { page: Infinity, native: Infinity };
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of sides) {
        const { nodes, ms } = await searches[side](fen);
        best[side] = Math.min(best[side], (ms * NODES) / nodes);
      }
    }
    for (const side of sides) total[side] += best[side];
  }
  native.end();
  const perSecond = (ms: number) => (1000 * NODES * POSITIONS.length) / ms;
  return { page: perSecond(total.page), native: perSecond(total.native) };
}
