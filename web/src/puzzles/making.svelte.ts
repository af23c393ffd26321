/**
 * Makes puzzles in the background, from the games of the library or of the archive, or from samples.
 *
 * Goes on while the user looks at other pages, until it is canceled. Games that were searched
 * before are skipped.
 */

import { Puzzler } from "../core/puzzler";
import { closeStudy, linkStudy, openStudy } from "../core/review";
import type { PuzzleView, StudyView } from "../core/types";
import { Refused } from "../core/module";
import { lineFrom } from "../review/tree";
import { archive } from "../state/archive.svelte";
import { library } from "../state/library.svelte";
import { SAMPLES } from "../samples";
import type { Exercise } from "./exercise";
import { isGameDone } from "./puzzle-store";
import { MAX_EXERCISES, puzzles } from "./puzzles.svelte";
import { NEW } from "./schedule";

export type Source = "library" | "archive" | "samples";

/** Famous games, for users who have none of their own yet. */
const FAMOUS = SAMPLES.split(/\n(?=\[Event )/);

/** Maximum number of games searched in one go. */
export const MAX_GAMES = 1_000;
/** Nodes for the first check of a move: fewer than on the command line, because browsers are slower. */
const NODES = 30_000;

/** A game that is ready to be searched. */
interface Game {
  start: string;
  moves: string[];
  is_chess960: boolean;
  link: string;
  white: string;
  black: string;
}

class Making {
  isRunning = $state(false);
  /** Games that are done, and those to be done. */
  done = $state(0);
  total = $state(0);
  /** Puzzles found so far. */
  found = $state(0);
  /** Share of the current game that has been searched, from 0 to 1. */
  share = $state(0);
  /** Whether games have been searched during this visit. */
  hasRun = $state(false);
  /** Whether the engine failed. */
  hasFailed = $state(false);
  readonly #puzzler = new Puzzler();
  #turn = 0;

  /** Searches new games of a source, at most so many. */
  async start(source: Source, most: number): Promise<void> {
    if (this.isRunning) return;
    const turn = ++this.#turn;
    Object.assign(this, { isRunning: true, hasRun: true, done: 0, found: 0, share: 0, total: 0, hasFailed: false });
    await puzzles.load();
    try {
      await this.#search(source, Math.min(most, MAX_GAMES), turn);
    } catch {
      this.hasFailed = true;
    }
    if (turn === this.#turn) this.cancel();
  }

  cancel(): void {
    this.#turn++;
    this.#puzzler.stop();
    this.isRunning = false;
  }

  async #search(source: Source, most: number, turn: number): Promise<void> {
    const count = await countGames(source);
    this.total = Math.min(count, most);
    for (let at = 0; at < count && this.done < this.total; at++) {
      const game = read((await textAt(source, at)) ?? "");
      const isKnown = game === null || (await isGameDone(game.link).catch(() => false));
      if (turn !== this.#turn) return;
      if (isKnown) {
        // The total shrinks when there are not enough new games left.
        this.total = Math.min(this.total, this.done + count - at - 1);
        continue;
      }
      this.share = 0;
      const { start, moves, is_chess960, link } = game;
      const onProgress = ({ plies }: { plies: number }) => (this.share = plies / Math.max(1, moves.length));
      const found = await this.#puzzler.find({ start, moves, is_chess960, nodes: NODES }, onProgress);
      if (found === null || turn !== this.#turn) return;
      const added = await puzzles.add(link, found.map((puzzle) => exerciseOf(puzzle, game)));
      this.found += added;
      this.done++;
      if ((puzzles.all?.length ?? 0) >= MAX_EXERCISES) return;
    }
  }
}

async function countGames(source: Source): Promise<number> {
  if (source === "samples") return FAMOUS.length;
  if (source === "library") return library.counts.matches;
  await archive.load();
  return archive.games?.length ?? 0;
}

async function textAt(source: Source, at: number): Promise<string | null> {
  if (source === "samples") return FAMOUS[at] ?? null;
  return source === "library" ? library.peek(at) : (archive.games?.[at]?.pgn ?? null);
}

/** Reads a game. Returns `null` if it cannot be read or has no moves. */
function read(text: string): Game | null {
  let view: StudyView | undefined;
  try {
    view = openStudy(text, 0);
    return gameOf(view);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return null;
  } finally {
    if (view) closeStudy(view.study);
  }
}

function gameOf(view: StudyView): Game | null {
  const main = lineFrom(view, 0).map((node) => view.moves[node]);
  const moves: string[] = [];
  for (const move of main.slice(1)) {
    // A null move ends what can be searched.
    if (!move?.uci) break;
    moves.push(move.uci);
  }
  const tag = (name: string) => view.tags.findLast(([it]) => it === name)?.[1].replace(/^\?$/, "") ?? "";
  const start = main[0]?.fen ?? "";
  if (moves.length === 0) return null;
  return { start, moves, is_chess960: view.is_chess960, link: linkStudy(view.study, true), white: tag("White"), black: tag("Black") };
}

const exerciseOf = (puzzle: PuzzleView, { is_chess960, link, white, black }: Game): Exercise => ({
  ...NEW,
  id: `p${puzzle.key}`,
  kind: "puzzle",
  before: puzzle.before,
  last: puzzle.mistake,
  fen: puzzle.fen,
  is_chess960,
  moves: puzzle.moves,
  line: puzzle.line,
  themes: puzzle.themes,
  estimate: puzzle.rating,
  rating: null,
  played: null,
  game: link,
  ply: puzzle.ply,
  white,
  black,
  added: Date.now(),
});

export const making = new Making();
