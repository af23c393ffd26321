/** What the program on this machine offers, if it was started for whoever looks at the page. */

import { addEngine, listEngines, LocalRefusal, quitProgram, removeEngine, type OtherEngine } from "../core/local";
import type { MessageKey } from "./i18n.svelte";

const REFUSALS: Record<string, MessageKey> = {
  engine_not_absolute: "engines.notAbsolute",
  engine_no_file: "engines.noFile",
  engine_not_executable: "engines.notExecutable",
  engine_not_uci: "engines.notUci",
  engine_too_many: "engines.tooMany",
  engine_known: "engines.known",
  engine_no_chess960: "engines.noChess960",
};

/** Why an engine of this machine did not do something; the other words where that is not known. */
export function engineTrouble(error: unknown, otherwise: MessageKey): MessageKey {
  return (error instanceof LocalRefusal ? REFUSALS[error.code] : undefined) ?? otherwise;
}

/** The names of this machine. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

class LocalProgram {
  /** The other engines; nothing if there is no such program. */
  engines = $state.raw<readonly OtherEngine[] | null>(null);
  hasQuit = $state(false);

  /** Whether the page comes from a program on this machine, with or without its key. */
  get isHere(): boolean {
    return this.engines !== null || LOOPBACK.test(location.hostname);
  }

  async look(): Promise<void> {
    this.engines = await listEngines();
  }

  /** Adds an engine; says why not. */
  async add(path: string): Promise<{ engine: OtherEngine } | { refusal: MessageKey }> {
    try {
      const engine = await addEngine(path);
      await this.look();
      return { engine };
    } catch (error) {
      return { refusal: engineTrouble(error, "engines.failed") };
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
