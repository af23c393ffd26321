/** The columns of the library's list: how wide they are, and from which width of the list on they are shown. */

import type { Column, GameRow } from "../core/types";
import { dateText } from "../state/dates";
import { resultText } from "../state/ending";
import type { MessageKey } from "../state/i18n.svelte";

export interface ListColumn {
  id: Column;
  label: MessageKey;
  /** Short title, if the label is too long for the column. */
  short?: string;
  /** Minimum width of the list in pixels. */
  from: number;
  /** Track of the CSS grid. */
  track: string;
  align?: "middle" | "right";
  text: (row: GameRow) => string;
}

const dayOf = (date: number) => dateText(Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100);
const eloOf = (elo: number) => (elo > 0 ? String(elo) : "");

export const COLUMNS: readonly ListColumn[] = [
  { id: "white", label: "color.white", from: 0, track: "minmax(0, 1.1fr)", text: (row) => row.white || "?" },
  { id: "white_elo", label: "library.whiteElo", short: "Elo", from: 900, track: "2.9rem", text: (row) => eloOf(row.white_elo) },
  { id: "black", label: "color.black", from: 0, track: "minmax(0, 1.1fr)", text: (row) => row.black || "?" },
  { id: "black_elo", label: "library.blackElo", short: "Elo", from: 900, track: "2.9rem", text: (row) => eloOf(row.black_elo) },
  { id: "result", label: "library.result", from: 0, track: "4.6rem", align: "middle", text: (row) => resultText(row.result) },
  { id: "event", label: "library.event", from: 900, track: "minmax(0, 1.1fr)", text: (row) => (isChapter(row) ? "" : row.event) },
  { id: "site", label: "library.site", from: 1300, track: "minmax(0, 0.8fr)", text: (row) => row.site },
  { id: "round", label: "library.round", from: 1050, track: "3.8rem", text: (row) => row.round },
  { id: "date", label: "library.date", from: 0, track: "6.4rem", text: (row) => dayOf(row.date) },
  { id: "opening", label: "library.opening", from: 0, track: "minmax(0, 1.2fr)", text: (row) => row.opening },
  { id: "moves", label: "library.moves", from: 0, track: "3.5rem", align: "right", text: (row) => String(Math.ceil(row.plies / 2)) },
];

/** Whether a row has no players, like a chapter of a study; then its event is its name. */
export const isChapter = (row: GameRow): boolean => !row.white && !row.black && row.event !== "";
