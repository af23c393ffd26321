/** Applying the events one by one gives the same game as the server's. */

import { expect, test } from "vitest";
import { apply, movesOf, turnOf } from "../src/net/ledger";
import type { GameEvent, GameHappening, Snapshot } from "../src/net/protocol";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const clocks = { white: { used_ms: 0 }, black: { used_ms: 0 }, at: 0 };
const empty: Snapshot = {
  game: "k3ZfQ81xWpLm",
  version: 3,
  settings: {
    start: START,
    is_chess960: false,
    time_control: { type: "unlimited" },
    clock_start: "game",
    is_rated: false,
    is_touch_move: false,
    allows_takeback: true,
  },
  you: "white",
  started_at: 0,
  moves: "",
  clocks,
  offers: [],
  touched: [],
  presence: { white: true, black: true, watchers: 0 },
};

const next = (snapshot: Snapshot, event: GameHappening): GameEvent => ({
  game: snapshot.game,
  version: snapshot.version + 1,
  at: 0,
  event,
});

function happen(snapshot: Snapshot, ...events: GameHappening[]): Snapshot {
  return events.reduce((before, event) => apply(before, next(before, event)) ?? expect.unreachable("it fits"), snapshot);
}

const moved = (ply: number, mv: string): GameHappening => ({ type: "moved", ply, mv, spent_ms: 0, compensated_ms: 0 });

test("only the next event of the same game is taken", () => {
  const event = next(empty, moved(0, "e2e4"));
  expect(apply(empty, { ...event, version: empty.version })).toBeNull();
  expect(apply(empty, { ...event, version: empty.version + 2 })).toBeNull();
  expect(apply(empty, { ...event, game: "another game" })).toBeNull();
  expect(apply(empty, event)?.version).toBe(empty.version + 1);
});

test("moves are made and taken back, and the turn follows them", () => {
  const made = happen(empty, moved(0, "e2e4"), moved(1, "e7e5"), moved(2, "g1f3"));
  expect(movesOf(made)).toEqual(["e2e4", "e7e5", "g1f3"]);
  expect(turnOf(made)).toBe("black");
  const back = happen(made, { type: "taken_back", ply: 1 });
  expect(movesOf(back)).toEqual(["e2e4"]);
  expect(turnOf({ ...empty, settings: { ...empty.settings, start: START.replace(" w ", " b ") } })).toBe("black");
});

test("a draw offer stands while the opponent thinks, and a move of the opponent declines it", () => {
  const offered = happen(empty, { type: "offered", by: "white", what: "draw" });
  expect(offered.offers).toEqual([{ by: "white", what: "draw" }]);
  const played = happen(offered, moved(0, "e2e4"));
  expect(played.offers).toEqual([{ by: "white", what: "draw" }]);
  expect(happen(played, moved(1, "e7e5")).offers).toEqual([]);
  expect(happen(played, { type: "declined", by: "black", what: "draw" }).offers).toEqual([]);
});

test("the end takes everything down that was in the air", () => {
  const over = happen(
    empty,
    { type: "offered", by: "black", what: "takeback" },
    { type: "touched", square: "e2" },
    { type: "ended", reason: "resignation", winner: "black" },
  );
  expect(over).toMatchObject({ offers: [], touched: [], end: { reason: "resignation", winner: "black" } });
  const asked = happen(over, { type: "offered", by: "white", what: "rematch" });
  expect(happen(asked, { type: "rematch_agreed" }).offers).toEqual([]);
});

test("events of a kind that is not known yet count and change nothing", () => {
  const event = { type: "something new" } as unknown as GameHappening;
  expect(happen(empty, event)).toEqual({ ...empty, version: empty.version + 1 });
});

test("clocks stay as they were where an event has none", () => {
  const shown = { ...clocks, running: "white" as const, at: 7 };
  const after = apply(empty, { ...next(empty, { type: "started" }), clocks: shown });
  expect(after?.clocks).toEqual(shown);
  expect(happen(after ?? empty, moved(0, "e2e4")).clocks).toEqual(shown);
});
