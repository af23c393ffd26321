/** The names of chapters, in the games of a file. */

export const MAX_CHAPTERS = 64;
/** Longest name, in characters. */
export const MAX_NAME = 60;

/** Returns a game with the name of its chapter as the event. */
export function named(pgn: string, name: string): string {
  const value = name.replace(/[\u0000-\u001f]/g, " ").replace(/["\\]/g, "\\$&");
  const tag = `[Event "${value}"]`;
  return /^\[Event ".*"\]$/m.test(pgn) ? pgn.replace(/^\[Event ".*"\]$/m, () => tag) : `${tag}\n${pgn}`;
}

/** Returns the name of a game from a file: its players, or its event. */
export function nameOf(pgn: string): string {
  const tag = (name: string) => new RegExp(`^\\[${name} "(.*)"\\]`, "m").exec(pgn)?.[1]?.replace(/\\(.)/g, "$1") ?? "";
  const known = (text: string) => (/^\?*$/.test(text) ? "" : text);
  const players = [tag("White"), tag("Black")].map(known).filter(Boolean).join(" – ");
  return (players || known(tag("ChapterName")) || known(tag("Event"))).slice(0, MAX_NAME);
}
