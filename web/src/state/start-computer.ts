/** Starts a game against the computer with the choices that the user made last. */

import { controlOf } from "../parts/ClockChoice.svelte";
import { startOf } from "../parts/StartChoice.svelte";
import { LOWEST, isFull } from "./level";
import { mayLeave } from "./leaving";
import { localProgram } from "./local.svelte";
import { newSeed } from "./computer";
import { COMPUTER, match } from "./match.svelte";
import { route } from "./route.svelte";
import { settings } from "./settings.svelte";

/** Starts the game and shows it, unless the user wants to keep the one in progress. */
export async function startComputer(own: string | null): Promise<void> {
  if (!(await mayLeave("leave.new", "leave.newYes"))) return;
  const engine = localProgram.engines?.find(({ id }) => id === settings.otherEngine) ?? null;
  const range = engine?.elo;
  const elo = !range || settings.otherElo > range.max ? null : Math.max(range.min, settings.otherElo);
  const isWhite = settings.side === "random" ? Math.random() < 0.5 : settings.side === "white";
  const level = isFull(settings.level) ? null : Math.max(LOWEST, settings.level);
  const you = settings.names.white.trim();
  const computer = engine?.name ?? COMPUTER;
  const time_control = controlOf(settings.computerClock, settings.minutes, settings.increment);
  match.start(
    { ...startOf(own), time_control, is_touch_move: settings.touchMove },
    isWhite ? you : computer,
    isWhite ? computer : you,
    { color: isWhite ? "black" : "white", level, seed: newSeed(), engine: engine?.id ?? null, elo },
  );
  route.go("game");
}
