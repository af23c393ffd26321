/**
 * Stepping through a game, manually or by autoplay, with sounds and announcements.
 *
 * Responsible for autoplay. Each review page has its own instance.
 */

import type { Steps } from "../board/steps";
import { play } from "../sound";
import { announcer } from "../state/announce.svelte";
import { spokenSan, t } from "../state/i18n.svelte";
import type { Judged } from "./judged.svelte";
import { study } from "./study.svelte";

export class Walk implements Steps {
  isPlaying = $state(false);
  /** Seconds per move in autoplay. */
  seconds = $state(1);
  readonly #judged: Judged;

  constructor(judged: Judged) {
    this.#judged = judged;
  }

  /** Runs autoplay while it is on. The page calls this once. */
  watch(): void {
    $effect(() => {
      if (!this.isPlaying) return;
      const timer = setInterval(() => {
        if (study.isAtEnd) this.isPlaying = false;
        else this.#step(() => study.forward());
      }, this.seconds * 1000);
      return () => clearInterval(timer);
    });
  }

  /** Runs a step, then plays its sound and announces it. */
  #step(run: () => void): void {
    const from = study.node;
    run();
    const move = study.move;
    if (!move || study.node === from) return;
    if (move.parent === from) play(study.place?.position.check ? "check" : move.san.includes("x") ? "capture" : "move");
    const { verdict, better } = this.#judged;
    const said = [
      move.parent === null ? t("review.start") : `${move.number}, ${t(move.is_white ? "color.white" : "color.black")}: ${spokenSan(move.san)}`,
      verdict === "fine" ? "" : t(`verdict.${verdict}`),
      better ? t("review.better", { move: spokenSan(better.san) }) : "",
      move.comment,
    ];
    announcer.say(said.filter(Boolean).join(". "));
  }

  /** Runs a step by the user, which stops autoplay. */
  go(run: () => void): void {
    this.isPlaying = false;
    this.#step(run);
  }

  to(node: number): void {
    this.go(() => study.go(node));
  }

  toNextMistake(): void {
    const next = this.#judged.nextMistake;
    if (next !== undefined) this.to(next);
  }

  toggle(): void {
    if (!this.isPlaying && study.isAtEnd) study.toStart();
    this.isPlaying = !this.isPlaying;
  }

  readonly step = (by: 1 | -1): void => this.go(() => (by > 0 ? study.forward() : study.back()));
  readonly sidestep = (by: 1 | -1): void => this.go(() => study.sidestep(by));
  readonly toStart = (): void => this.go(() => study.toStart());
  readonly toEnd = (): void => this.go(() => study.toEnd());
  readonly flip = (): void => study.flip();

  /** Handles a key of the review. Returns whether the key was used. */
  press(key: string): boolean {
    const run = KEYS[key];
    run?.(this);
    return run !== undefined;
  }
}

const KEYS: Record<string, (walk: Walk) => void> = {
  m: (walk) => walk.toNextMistake(),
  p: (walk) => walk.toggle(),
  c: () => {
    const field = document.getElementById("comment");
    if (field) field.focus();
    else document.getElementById("comment-switch")?.click();
  },
};
