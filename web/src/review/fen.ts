/** FENs as people paste them. */

const BOARD = /^\s*(?:[1-8pnbrqk]+\/){7}[1-8pnbrqk]+(?=\s|$)/i;
/** What a FEN means if it has only its first fields. */
const REST = ["w", "-", "-", "0", "1"];

/** Returns a text that looks like a FEN with all of its six fields, or `null` for any other text. */
export function readFen(text: string): string | null {
  if (!BOARD.test(text)) return null;
  const fields = text.trim().split(/\s+/);
  return fields.length > 6 ? null : [...fields, ...REST.slice(fields.length - 1)].join(" ");
}
