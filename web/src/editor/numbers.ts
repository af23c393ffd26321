/** Counts the moves of positions that are built by hand, so that users do not have to. */

import { compose, examine } from "../core/doctor";
import type { Composition } from "../core/types";

/** Findings about the move number and the half-move clock alone. */
const ABOUT_NUMBERS = /^(clock-.*|too-few-(white|black)-moves|not-so-early|black-at-move-one)$/;
/** Numbers to try: enough moves for anything, the earliest first. The last move was a quiet one. */
const TRIED = [
  { halfmove_clock: 0, fullmove_number: 1 },
  { halfmove_clock: 0, fullmove_number: 20 },
  { halfmove_clock: 1, fullmove_number: 20 },
  { halfmove_clock: 0, fullmove_number: 60 },
  { halfmove_clock: 1, fullmove_number: 60 },
  { halfmove_clock: 1, fullmove_number: 200 },
];

/** Returns the FEN of a position with numbers that the doctor does not object to, if there are any. */
export function withNumbers(composition: Composition, language: string): string {
  const given = compose(composition);
  const isFine = (fen: string) => !examine(fen, language, true).findings.some(({ code }) => ABOUT_NUMBERS.test(code));
  if (isFine(given)) return given;
  return TRIED.map((numbers) => compose({ ...composition, ...numbers })).find(isFine) ?? given;
}
