/** What the server stores about a user is read to its end and becomes two files. */

import { expect, test } from "vitest";
import type { UserExport } from "../src/net/api";
import { ownData } from "../src/state/own-data";

const part = (ids: string[], next: string | null): UserExport => ({
  player: 1,
  name: "Anna",
  is_account: true,
  created: null,
  email: null,
  ratings: [],
  sessions: [],
  games: ids.map((id) => ({ id, pgn: `[GameId "${id}"]\n`, chat: [] })),
  next,
});

test("all parts are put together", async () => {
  const parts: Record<string, UserExport> = { "": part(["a", "b"], "1"), "1": part([], "2"), "2": part(["c"], null) };
  const asked: string[] = [];
  const files = await ownData(async (cursor) => {
    asked.push(cursor);
    return parts[cursor] ?? part([], null);
  });
  expect(asked).toEqual(["", "1", "2"]);
  const all = JSON.parse(files.json) as UserExport;
  expect([all.name, all.games.map(({ id }) => id), "next" in all]).toEqual(["Anna", ["a", "b", "c"], false]);
  expect(files.pgn.match(/GameId/g)).toHaveLength(3);
});

test("a list without an end is given up, and an error is passed on", async () => {
  let count = 0;
  await ownData(async () => part([String(count++)], "again"));
  expect(count).toBe(1000);
  await expect(ownData(() => Promise.reject(new Error("busy")))).rejects.toThrow("busy");
});
