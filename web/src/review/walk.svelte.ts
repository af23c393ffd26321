/**
 * Stepping through a game, manually or by autoplay, with sounds and announcements.
 *
 * Responsible for autoplay. Each review page has its own instance.
 */

import { play } from "../sound";
import { announcer } from "../state/announce.svelte";
import { spokenSan, t } from "../state/i18n.svelte";
import type { Judged } from "./judged.svelte";
import { study } from "./study.svelte";

export class Walk {
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

  /** Handles a key of the review. Returns whether the key was used. */
  press(key: string): boolean {
    const run = KEYS[key];
    run?.(this);
    return run !== undefined;
  }
}

const KEYS: Record<string, (walk: Walk) => void> = {
  ArrowLeft: (walk) => walk.go(() => study.back()),
  ArrowRight: (walk) => walk.go(() => study.forward()),
  ArrowUp: (walk) => walk.go(() => study.sidestep(-1)),
  ArrowDown: (walk) => walk.go(() => study.sidestep(1)),
  Home: (walk) => walk.go(() => study.toStart()),
  End: (walk) => walk.go(() => study.toEnd()),
  f: () => study.flip(),
  m: (walk) => walk.toNextMistake(),
  p: (walk) => walk.toggle(),
  c: () => {
    const field = document.getElementById("comment");
    if (field) field.focus();
    else document.getElementById("comment-switch")?.click();
  },
};
