/** Describes a square in words, for screen readers. */

import type { BoardText } from "../core/types";
import { coloredPieceName, t } from "../state/i18n.svelte";
import { pieceAt } from "./geometry";

export interface SquareMarks {
  isCheck: boolean;
  isWrong: boolean;
  isOdd: boolean;
  isReady: boolean;
  target: "quiet" | "capture" | null;
}

export function describe(board: BoardText, square: string, marks: SquareMarks): string {
  const piece = pieceAt(board, square);
  const content = piece ? coloredPieceName(piece) : t("square.empty");
  const notes = [
    marks.isCheck ? t("say.check") : "",
    marks.isWrong ? t("square.error") : marks.isOdd ? t("square.warning") : "",
    marks.isReady ? t("premove.square") : "",
    marks.target ? t(marks.target === "capture" ? "square.capture" : "square.target") : "",
  ];
  return [`${square}, ${content}`, ...notes.filter(Boolean)].join(", ");
}
