/** The volume of sounds. */

import { expect, test } from "vitest";
import { loudness } from "../src/sound";

test("the volume goes from silence to a bounded gain, and the default is the one sounds were made for", () => {
  expect(loudness(0)).toBe(0);
  expect(loudness(80)).toBeCloseTo(1);
  expect(loudness(40)).toBeCloseTo(0.25);
  for (const wrong of [-5, 1000, 100]) expect(loudness(wrong)).toBeLessThanOrEqual(loudness(100));
});
