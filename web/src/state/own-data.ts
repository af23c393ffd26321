/** The user's data from the server, read part by part and put together. */

import * as api from "../net/api";

/** Maximum number of parts, so that a server that never ends its list does not keep the page busy. */
const MOST_PARTS = 1000;

export interface OwnFiles {
  name: string;
  /** Everything, as JSON. */
  json: string;
  /** The games as PGN; empty if there are none. */
  pgn: string;
}

/** Reads everything that the server stores about the user. */
export async function ownData(read: (cursor: string) => Promise<api.UserExport> = api.ownData): Promise<OwnFiles> {
  const first = await read("");
  const games = [...first.games];
  let next = first.next;
  for (let part = 1; next !== null && part < MOST_PARTS; part += 1) {
    const more = await read(next);
    games.push(...more.games);
    next = more.next;
  }
  const { next: _, ...all } = { ...first, games };
  return { name: first.name, json: JSON.stringify(all, null, 2), pgn: games.map((game) => game.pgn).join("\n") };
}
