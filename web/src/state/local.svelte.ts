/** Features of the program on this machine, if the user started it for themselves. */

import { addEngine, localFeatures, LocalRefusal, quitProgram, removeEngine, type EngineSetup, type OtherEngine, type OwnEngine } from "../core/local";
import type { MessageKey } from "./i18n.svelte";

const REFUSALS: Record<string, MessageKey> = {
  engine_not_absolute: "engines.notAbsolute",
  engine_no_file: "engines.noFile",
  engine_not_executable: "engines.notExecutable",
  engine_bad_arguments: "engines.badArguments",
  engine_not_uci: "engines.notUci",
  engine_too_many: "engines.tooMany",
  engine_known: "engines.known",
  engine_no_chess960: "engines.noChess960",
};

/**
 * Returns the message for an error of an engine on this machine, or `otherwise` if it is unknown.
 */
export function engineErrorKey(error: unknown, otherwise: MessageKey): MessageKey {
  return (error instanceof LocalRefusal ? REFUSALS[error.code] : undefined) ?? otherwise;
}

/** Host names of this machine. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

class LocalProgram {
  /** The other engines; `null` if there is no such program. */
  engines = $state.raw<readonly OtherEngine[] | null>(null);
  /** The built-in engine as a program on this machine; `null` if there is none. */
  own = $state.raw<OwnEngine | null>(null);
  hasQuit = $state(false);

  /** Whether the page comes from a program on this machine, with or without its key. */
  get isHere(): boolean {
    return this.engines !== null || LOOPBACK.test(location.hostname);
  }

  async look(): Promise<void> {
    const features = await localFeatures();
    [this.engines, this.own] = [features?.engines ?? null, features?.own ?? null];
  }

  /** Adds an engine. Returns the engine, or the message why it was refused. */
  async add(setup: EngineSetup): Promise<{ engine: OtherEngine } | { refusal: MessageKey }> {
    try {
      const engine = await addEngine(setup);
      await this.look();
      return { engine };
    } catch (error) {
      return { refusal: engineErrorKey(error, "engines.failed") };
    }
  }

  async remove(id: number): Promise<void> {
    await removeEngine(id).catch(() => undefined);
    await this.look();
  }

  async quit(): Promise<void> {
    await quitProgram();
    this.hasQuit = true;
  }
}

export const localProgram = new LocalProgram();
