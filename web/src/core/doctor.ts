/** The FEN doctor, loaded when it is first needed. */

import doctorUrl from "../wasm/doctor.wasm?url";
import { Module } from "./module";
import type { Api, Composition, Diagnosis } from "./types";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads the doctor module. Must be called before the functions below. */
export async function loadDoctor(): Promise<void> {
  loading ??= Module.load(doctorUrl);
  loaded = await loading;
}

function ask<Name extends keyof Api>(name: Name, request: Api[Name]["request"]): Api[Name]["response"] {
  if (!loaded) throw new Error("the doctor is not loaded yet");
  return loaded.ask(name, request);
}

export const compose = (composition: Composition): string => ask("compose", composition);

export const examine = (fen: string, language: string, is_quick: boolean, is_chess960 = false): Diagnosis =>
  ask("examine", { fen, language, is_quick, is_chess960 });
