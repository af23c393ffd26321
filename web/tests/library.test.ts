/** Year ranges as people type them. */

import { expect, test } from "vitest";
import { yearsOf } from "../src/state/library.svelte";

test.each([
  ["", null],
  ["abc", null],
  ["1999", [1999, 1999]],
  ["1990-1999", [1990, 1999]],
  ["1990 – 1999", [1990, 1999]],
  ["199", [1990, 1999]],
  ["19", [1900, 1999]],
  ["2", [2000, 2999]],
  ["199-", [1990, 1999]],
  ["1990-19", [1990, 1999]],
])("%j means %j", (text, expected) => {
  expect(yearsOf(text)).toEqual(expected);
});
