/**
 * Loads a game into the review: from a link, from the board, from the last visit, pasted or
 * dropped.
 *
 * Responsible for the message when there is no game. Each review page has its own instance.
 */

import { loadReview } from "../core/review";
import * as table from "../core/table";
import { currentPgn } from "../parts/pgn-file";
import { t } from "../state/i18n.svelte";
import { incoming } from "../state/incoming.svelte";
import { match } from "../state/match.svelte";
import { pathOf, route } from "../state/route.svelte";
import { settings } from "../state/settings.svelte";
import { analysis } from "./analysis.svelte";
import { analysts } from "./analysts.svelte";
import { study } from "./study.svelte";

/** Longest pasted text, in characters; longer ones are opened in the library. */
const MAX_PASTED = 2_000_000;

export class Arrival {
  isReady = $state(false);
  problem = $state("");
  #isGone = false;

  async begin(): Promise<void> {
    await Promise.all([loadReview(), analysts.recall()]);
    if (this.#isGone) return;
    const link = location.hash.slice(1);
    const { game, id } = incoming;
    [incoming.game, incoming.id] = ["", ""];
    const isHanded = game !== "" && study.open(game, id);
    if (game && !isHanded) this.problem = t("library.cannotPlay");
    if (isHanded) this.problem = "";
    else if (link) this.#takeLink(link);
    else if (new URLSearchParams(route.query).has("game")) this.#takeGame();
    else if (!study.resume()) this.#takeGame();
    history.replaceState(null, "", pathOf("review"));
    this.isReady = true;
    this.#analyse();
  }

  /** Called when the page is closed. */
  end(): void {
    this.#isGone = true;
    analysis.stop();
    study.keepNow();
  }

  /** Opens the game in the address when it changes. */
  readonly onhashchange = (): void => {
    const link = location.hash.slice(1);
    if (!link) return;
    this.problem = "";
    this.#takeLink(link);
    history.replaceState(null, "", pathOf("review"));
    this.#analyse();
  };

  /**
   * Opens another game that was pasted, dropped or chosen. Several games are opened in the library.
   */
  read(text: string): boolean {
    this.problem = "";
    const games = text.length > MAX_PASTED ? null : table.readPgn(text).filter((game) => game.plies > 0 || /\[FEN\s/.test(text));
    if (games === null || games.length > 1) {
      incoming.file = new File([text], "");
      route.go("library");
      return false;
    }
    if (games.length === 0 || !study.open(text)) {
      this.problem = t("library.none");
      return false;
    }
    this.#analyse();
    return true;
  }

  #analyse(): void {
    if (study.view && settings.autoAnalysis) analysis.review(study.view);
  }

  #takeLink(link: string): void {
    if (!study.openLink(link)) this.problem = t("review.badLink");
  }

  /** Opens the game on the board, with everything from the PGN it was loaded from. */
  #takeGame(): void {
    if (!match.resume() || !match.view) return;
    study.open(currentPgn(), match.archiveId);
    study.orientation = match.orientation;
  }
}
