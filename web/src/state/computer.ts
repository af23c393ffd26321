/** The computer as an opponent: which engine plays, and how strongly. */

import type { Color, GameView, Program } from "../core/types";
import { HIGHEST, LOWEST } from "./level";
import { localProgram } from "./local.svelte";

export interface Computer {
  color: Color;
  /** Strength limit of the built-in engine; `null` for full strength. */
  level: number | null;
  seed: number;
  /** Id of another engine on this machine that plays instead of the built-in one. */
  engine?: number | null;
  /** Strength limit of that engine in Elo points; `null` for full strength. */
  elo?: number | null;
}

export const newSeed = (): number => Math.floor(Math.random() * 0xffffffff);

export function programOf(computer: Computer | null): Program | null {
  if (!computer) return null;
  const level = typeof computer.engine === "number" ? (computer.elo ?? null) : computer.level;
  return { is_white: computer.color === "white", level };
}

/**
 * Returns the computer opponent of a saved game: an engine on this machine by its name, or the
 * built-in one.
 */
export function computerOf(view: GameView): Computer | null {
  if (!view.program) return null;
  const { is_white, level } = view.program;
  const color = is_white ? "white" : "black";
  const engine = localProgram.engines?.find(({ name }) => name === view[color]);
  if (engine) return { color, level: null, seed: newSeed(), engine: engine.id, elo: level };
  const own = level === null || level > HIGHEST ? null : Math.max(LOWEST, level);
  return { color, level: own, seed: newSeed() };
}
