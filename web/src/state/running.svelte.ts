/**
 * The user's online game in progress, as the home page shows it: its id and the position seen last.
 *
 * Both are kept in this browser, so that the home page needs neither a connection nor the code for it.
 */

import type { Glimpse } from "./glimpse";
import { readStored, store } from "./settings.svelte";

const ID_KEY = "castellan.online";
const SEEN_KEY = "castellan.online.seen";

interface Seen extends Glimpse {
  game: string;
}

class RunningGame {
  /** Id of the game; `null` if there is none. */
  id = $state<string | null>(null);
  #seen = $state.raw<Seen | null>(null);

  constructor() {
    this.read();
  }

  /** The game as it was seen last; `null` if only its id is known. */
  get glimpse(): Glimpse | null {
    return this.id !== null && this.#seen?.game === this.id ? this.#seen : null;
  }

  /** Reads what is kept, which another tab may have changed. */
  read(): void {
    this.id = readStored<string | null>(ID_KEY) ?? null;
    this.#seen = readStored<Seen | null>(SEEN_KEY) ?? null;
  }

  set(id: string | null): void {
    this.id = id;
    store(ID_KEY, id);
  }

  /** Keeps the position of a game. */
  see(game: string, glimpse: Glimpse): void {
    this.#seen = { ...glimpse, game };
    store(SEEN_KEY, this.#seen);
  }
}

export const runningGame = new RunningGame();
