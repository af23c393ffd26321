/** The stored game is the game with all its events, whatever tab stored last. */

import { beforeEach, expect, test } from "vitest";
import type { Recorded, StoredGame } from "../src/core/types";
import { GameJournal, readKept, type KeptGame } from "../src/state/stored-game";

const items = new Map<string, string>();
/** Lengths of the values written since the last look. */
const written: number[] = [];

beforeEach(() => {
  items.clear();
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => {
        items.set(key, value);
        written.push(value.length);
      },
      removeItem: (key: string) => items.delete(key),
    },
  });
});

const event = (version: number): Recorded => ({ version, at: 0, event: { type: "touched", square: "e2" } });
const left = (leftAt: number) => ({ leftAt, hasMoved: true, duration_ms: 7 * leftAt });

/** A game as a tab has it: its record, which the tab can always tell as a whole. */
class Tab {
  readonly journal = new GameJournal();

  constructor(readonly record: Recorded[]) {}

  whole = (): KeptGame => {
    const settings = { start: "" } as StoredGame["settings"];
    return { stored: { settings, created: 1, record: [...this.record] }, computer: null, leftAt: 5, id: "a", hasMoved: false };
  };

  begin(): this {
    this.journal.begin(this.whole());
    return this;
  }

  play(leftAt: number): void {
    const played = event(this.record.length + 1);
    this.record.push(played);
    this.journal.add([played], left(leftAt), this.whole);
  }
}

test("what was added is read with what was there", () => {
  const tab = new Tab([event(1), event(2)]).begin();
  expect(readKept()).toMatchObject({ leftAt: 5, hasMoved: false, stored: { record: tab.record } });
  for (let leftAt = 10; leftAt < 40; leftAt += 1) tab.play(leftAt);
  tab.journal.add([], left(50), tab.whole);
  expect(readKept()).toMatchObject({ id: "a", leftAt: 50, hasMoved: true, stored: { record: tab.record, duration_ms: 350 } });
});

test("a move writes as much late in a game as early", () => {
  const tab = new Tab([]).begin();
  const sizes: number[] = [];
  for (let ply = 0; ply < 600; ply += 1) {
    written.length = 0;
    tab.play(100 + ply);
    sizes.push(written.reduce((sum, one) => sum + one, 0));
  }
  // Only the numbers get longer.
  expect((sizes.at(-1) ?? NaN) - (sizes[0] ?? NaN)).toBeLessThan(10);
  expect(readKept()?.stored.record).toEqual(tab.record);
});

test("of two tabs, the one that stored last counts, with its whole game", () => {
  const first = new Tab([event(1)]).begin();
  first.play(10);
  const second = new Tab(readKept()?.stored.record ?? []).begin();
  second.play(11);
  second.play(12);
  expect(readKept()?.stored.record).toEqual(second.record);
  first.play(13);
  expect(readKept()?.stored.record).toEqual(first.record);
  second.play(14);
  expect(readKept()?.stored.record).toEqual(second.record);
});

test("a game of an older page is read, and nothing is made of a damaged one", () => {
  const kept = new Tab([event(1)]).whole();
  items.set("castellan.game", JSON.stringify(kept));
  expect(readKept()).toEqual(kept);
  for (const damaged of ["", "null", "7", "{}", '{"stored": null}', '{"stored": {}}', "{"]) {
    items.set("castellan.game", damaged);
    expect(readKept()).toBeUndefined();
  }
});

test("events after a lost one are left out", () => {
  const tab = new Tab([]).begin();
  for (let leftAt = 0; leftAt < 5; leftAt += 1) tab.play(leftAt);
  items.delete("castellan.game.3");
  expect(readKept()?.stored.record).toEqual(tab.record.slice(0, 2));
});
