/**
 * How a game comes to be reviewed: by a link, from the board, as it was left, pasted or dropped.
 *
 * Owns what is said when there is none. One for each page that shows it.
 */

import { loadReview } from "../core/review";
import * as table from "../core/table";
import { currentPgn } from "../parts/pgn-file";
import { t } from "../state/i18n.svelte";
import { incoming } from "../state/incoming.svelte";
import { match } from "../state/match.svelte";
import { pathOf, route } from "../state/route.svelte";
import { analysis } from "./analysis.svelte";
import { analysts } from "./analysts.svelte";
import { study } from "./study.svelte";

/** Longer texts are for the page that opens whole files. */
const MAX_PASTED = 2_000_000;

export class Arrival {
  isReady = $state(false);
  problem = $state("");
  #isGone = false;

  async begin(): Promise<void> {
    await Promise.all([loadReview(), analysts.recall()]);
    if (this.#isGone) return;
    const link = location.hash.slice(1);
    const handed = incoming.game;
    incoming.game = "";
    if (link) this.#takeLink(link);
    else if (handed && study.open(handed)) this.problem = "";
    else if (new URLSearchParams(route.query).has("game")) this.#takeGame();
    else if (!study.resume()) this.#takeGame();
    history.replaceState(null, "", pathOf("review"));
    this.isReady = true;
    this.#analyse();
  }

  /** The page goes away. */
  end(): void {
    this.#isGone = true;
    analysis.stop();
    study.keepNow();
  }

  /** The address has another game in it. */
  readonly onhashchange = (): void => {
    const link = location.hash.slice(1);
    if (!link) return;
    this.problem = "";
    this.#takeLink(link);
    history.replaceState(null, "", pathOf("review"));
    this.#analyse();
  };

  /** Another game, pasted, dropped or chosen; several are for the page that lists them. */
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
    if (study.view) analysis.review(study.view);
  }

  #takeLink(link: string): void {
    if (!study.openLink(link)) this.problem = t("review.badLink");
  }

  /** The game on the board, with everything that the file it came from says. */
  #takeGame(): void {
    if (!match.resume() || !match.view) return;
    study.open(currentPgn());
    study.orientation = match.orientation;
  }
}
