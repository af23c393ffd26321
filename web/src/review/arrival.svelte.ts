/**
 * Loads a game into the review, or a position onto the analysis board: from a link, from the board,
 * from the last visit, pasted or dropped.
 *
 * Responsible for the message when there is nothing to show. Each page has its own instance.
 */

import { Refused } from "../core/module";
import { loadReview } from "../core/review";
import * as table from "../core/table";
import { currentPgn } from "../parts/pgn-file";
import { review } from "../state/continuing";
import { t } from "../state/i18n.svelte";
import { incoming } from "../state/incoming.svelte";
import { library } from "../state/library.svelte";
import { match } from "../state/match.svelte";
import { pathOf, route } from "../state/route.svelte";
import { settings } from "../state/settings.svelte";
import { analysis } from "./analysis.svelte";
import { chapters } from "./chapters.svelte";
import { analysts } from "./analysts.svelte";
import { readFen } from "./fen";
import { study, type StudyKind } from "./study.svelte";

/** Longest pasted text, in characters; longer ones are opened in the library. */
const MAX_PASTED = 2_000_000;

export class Arrival {
  isReady = $state(false);
  problem = $state("");
  /** FEN that is no position, for the doctor. */
  badFen = $state("");
  readonly kind: StudyKind;
  #isGone = false;

  constructor(kind: StudyKind) {
    this.kind = kind;
  }

  async begin(): Promise<void> {
    await Promise.all([loadReview(), analysts.recall()]);
    if (this.#isGone) return;
    // A position is analyzed on a board of its own; the game under review stays.
    if (this.kind === "review" && new URLSearchParams(route.query).has("fen")) {
      route.go("analysis", route.query);
      return;
    }
    study.use(this.kind);
    if (this.kind === "analysis") this.#beginBoard();
    else this.#beginReview();
    history.replaceState(null, "", pathOf(this.kind));
    this.isReady = true;
    this.#analyze();
  }

  #beginReview(): void {
    const link = location.hash.slice(1);
    const { game, id, place, ply } = incoming;
    [incoming.game, incoming.id, incoming.place, incoming.ply] = ["", "", null, 0];
    const isHanded = game !== "" && study.open(game, id, place);
    if (game && !isHanded) this.problem = t("library.cannotPlay");
    if (isHanded) [this.problem] = ["", study.go(study.main[ply] ?? 0)];
    else if (link) this.#takeLink(link, Number(new URLSearchParams(route.query).get("ply") ?? 0));
    else if (new URLSearchParams(route.query).has("game")) this.#takeGame();
    else if (!study.resume()) this.#takeGame();
  }

  #beginBoard(): void {
    const asked = new URLSearchParams(route.query);
    const fen = asked.get("fen");
    if (!study.resume()) study.openBoard();
    chapters.recall();
    if (incoming.chapters.length > 0) chapters.addAll(incoming.chapters);
    incoming.chapters = [];
    if (fen !== null) this.#takeFen(readFen(fen) ?? fen, asked.get("chess960") === "1");
  }

  /** Called when the page is closed. */
  end(): void {
    this.#isGone = true;
    analysis.isEndless = false;
    analysis.stop();
    study.keepNow();
  }

  /** Opens the game in the address when it changes. */
  readonly onhashchange = (): void => {
    const link = location.hash.slice(1);
    if (!link || this.kind !== "review") return;
    this.problem = "";
    this.#takeLink(link);
    history.replaceState(null, "", pathOf("review"));
    this.#analyze();
  };

  /**
   * Opens what was pasted, dropped or chosen: a position on the analysis board, a game in the review,
   * several games in the library. Returns whether it is shown on this page.
   */
  read(text: string): boolean {
    [this.problem, this.badFen] = ["", ""];
    const fen = readFen(text);
    if (fen !== null) return this.#readFen(fen);
    const games = text.length > MAX_PASTED ? null : table.readPgn(text).filter((game) => game.plies > 0 || /\[FEN\s/.test(text));
    if (games === null || games.length > 1) {
      incoming.file = new File([text], "");
      route.go("library");
      return false;
    }
    if (games.length > 0 && this.kind === "analysis") {
      review(text);
      return true;
    }
    if (games.length === 0 || !study.open(text)) {
      this.problem = t("library.none");
      return false;
    }
    this.#analyze();
    return true;
  }

  #readFen(fen: string): boolean {
    if (this.kind === "review") {
      route.go("analysis", `?fen=${encodeURIComponent(fen)}`);
      return true;
    }
    const isTaken = this.#takeFen(fen, false);
    if (isTaken) this.#analyze();
    return isTaken;
  }

  /** Opens the next or previous game of the library. */
  readonly turn = async (by: 1 | -1): Promise<void> => {
    const at = (study.libraryPlace ?? 0) + by;
    const text = await library.textAt(at).catch(() => null);
    if (text !== null && study.open(text, "", at)) this.#analyze();
  };

  #analyze(): void {
    if (study.view && settings.autoAnalysis) analysis.review(study.view);
  }

  #takeLink(link: string, ply = 0): void {
    if (!study.openLink(link)) this.problem = t("review.badLink");
    else if (ply > 0) study.go(study.main[ply] ?? 0);
  }

  #takeFen(fen: string, isChess960: boolean): boolean {
    try {
      const position = table.position(fen).fen;
      // A board with moves is not replaced while there is room for another chapter.
      if (study.main.length > 1) chapters.add();
      return study.openBoard(position, isChess960);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      [this.problem, this.badFen] = [t("analysis.badFen"), fen];
      return false;
    }
  }

  /** Opens the game on the board, with everything from the PGN it was loaded from. */
  #takeGame(): void {
    if (!match.resume() || !match.view) return;
    study.open(currentPgn(), match.archiveId);
    study.orientation = match.orientation;
    if (match.view.is_running) study.go(study.main[match.ply] ?? 0);
  }
}
