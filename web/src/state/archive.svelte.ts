/**
 * The user's own games on this machine, finished and unfinished.
 *
 * Responsible for the limit on their number, and for looking up opening names when the list is
 * first shown.
 */

import { loadReview, nameOpening } from "../core/review";
import type { Color } from "../core/types";
import { announcer } from "./announce.svelte";
import { ArchiveProblem, readAll, remove, removeAll, write, type ArchivedGame } from "./archive-store";
import { resultText } from "./ending";
import { t } from "./i18n.svelte";
import { COMPUTER } from "./level";
import { addUnsaved, removeUnsaved, unsavedGames } from "./unsaved-games";

export type { ArchivedGame } from "./archive-store";

/** Maximum number of games; the oldest is deleted to make room for a new one. */
export const MAX_ARCHIVED = 2_000;

class Archive {
  /** The games, newest first; `null` until they have been loaded. */
  games = $state.raw<ArchivedGame[] | null>(null);
  /** Number of games saved since the page was opened; it changes after each. */
  saves = $state(0);
  /** Message for the user about why the last change failed; empty if it succeeded. */
  problem = $state("");
  /** Ids of the games that are being written now. */
  readonly #writing = new Set<string>();

  /** Stores a game, replacing an older version of it. Returns whether it was saved. */
  async keep(game: ArchivedGame): Promise<boolean> {
    addUnsaved(game);
    this.#writing.add(game.id);
    const isDone = await this.#try(() => add(game)).finally(() => {
      this.#writing.delete(game.id);
      // The user is told about a game that cannot be saved, and decides what becomes of it.
      removeUnsaved(game.id);
    });
    if (isDone) this.saves += 1;
    if (isDone && this.games) await this.load();
    return isDone;
  }

  async load(): Promise<void> {
    await this.#try(async () => {
      await this.#addLeft();
      this.games = (await readAll()).sort(newestFirst);
    });
    this.games ??= [];
  }

  /** Returns the newest games; none if the browser has no storage. */
  async recent(count: number): Promise<ArchivedGame[]> {
    const all = await this.#addLeft().then(readAll).catch(() => []);
    return all.sort(newestFirst).slice(0, count);
  }

  /** Looks up the openings of games that have not been classified yet. */
  async nameOpenings(): Promise<void> {
    const unnamed = this.games?.filter(({ opening }) => opening === undefined) ?? [];
    if (unnamed.length === 0) return;
    await loadReview();
    const named = new Map(unnamed.map(({ id, pgn }) => [id, nameOpening(pgn)]));
    this.games = (this.games ?? []).map((game) => ({ ...game, opening: game.opening ?? named.get(game.id) ?? "" }));
    const changed = this.games.filter(({ id }) => named.has(id));
    await this.#try(async () => {
      for (const game of changed) await write(game);
    });
  }

  async remove(id: string): Promise<void> {
    if (await this.#try(() => remove(id))) this.games = (this.games ?? []).filter((game) => game.id !== id);
  }

  async removeAll(): Promise<void> {
    if (await this.#try(() => removeAll())) this.games = [];
  }

  /** Writes the games that the page did not manage to write before it was closed the last time. */
  async #addLeft(): Promise<void> {
    for (const game of unsavedGames().filter(({ id }) => !this.#writing.has(id))) {
      await add(game);
      removeUnsaved(game.id);
    }
  }

  async #try(run: () => Promise<unknown>): Promise<boolean> {
    try {
      this.problem = "";
      await run();
      return true;
    } catch (error) {
      if (!(error instanceof ArchiveProblem)) throw error;
      this.problem = t(error.isFull ? "archive.diskFull" : "archive.unavailable");
      announcer.say(this.problem);
      return false;
    }
  }
}

/** Writes a game, and deletes the oldest ones if there are too many. */
async function add(game: ArchivedGame): Promise<void> {
  const others = (await readAll()).filter(({ id }) => id !== game.id).sort(newestFirst);
  for (const { id } of others.slice(MAX_ARCHIVED - 1)) await remove(id);
  await write(game);
}

const newestFirst = (one: ArchivedGame, two: ArchivedGame): number => two.saved - one.saved;

export const archive = new Archive();

/** Returns the players of a game as a title. */
export function gameTitle(game: ArchivedGame): string {
  const nameOf = (color: Color): string => {
    const name = game[color];
    if (game.computer === color && name === COMPUTER) return t("name.computer");
    return name || t(game.computer ? "name.you" : `color.${color}`);
  };
  return `${nameOf("white")} – ${nameOf("black")}`;
}

/** Returns the result of a game, or that it is unfinished. */
export const gameResult = ({ result }: ArchivedGame): string => (result === "*" ? t("archive.unfinished") : resultText(result));

/** Returns an id for a new game. */
export const newGameId = (): string => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
