/** Maps square names to screen positions. Contains no rule of chess. */

import type { BoardText, Color } from "../core/types";

export const FILES = "abcdefgh";

/** The squares in the order of `BoardText`: a1, b1, … h8. */
export const SQUARES: readonly string[] = Array.from(
  { length: 64 },
  (_, index) => `${FILES[index % 8]}${Math.floor(index / 8) + 1}`,
);

export const indexOf = (square: string): number =>
  FILES.indexOf(square[0] ?? "") + 8 * (Number(square[1]) - 1);

export const pieceAt = (board: BoardText, square: string): string | null => {
  const letter = board[indexOf(square)];
  return letter === undefined || letter === "." ? null : letter;
};

export const colorOf = (piece: string): Color => (piece === piece.toUpperCase() ? "white" : "black");

export const other = (color: Color): Color => (color === "white" ? "black" : "white");

/** Returns the column and row of a square as drawn, counted from the upper left corner. */
export function placeOf(square: string, orientation: Color): { x: number; y: number } {
  const index = indexOf(square);
  const [file, rank] = [index % 8, Math.floor(index / 8)];
  return orientation === "white" ? { x: file, y: 7 - rank } : { x: 7 - file, y: rank };
}

/** Returns the square in a column and row, or `null` outside the board. */
export function squareAt(x: number, y: number, orientation: Color): string | null {
  if (x < 0 || x > 7 || y < 0 || y > 7) return null;
  const [file, rank] = orientation === "white" ? [x, 7 - y] : [7 - x, y];
  return SQUARES[file + 8 * rank] ?? null;
}

export const isLight = (square: string): boolean => {
  const index = indexOf(square);
  return (index + Math.floor(index / 8)) % 2 === 1;
};
