/** The FEN doctor, loaded when it is first needed. */

import doctorUrl from "../wasm/doctor.wasm?url";
import { Module } from "./module";
import type { BoardText, Diagnosis } from "./types";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads the doctor module. Must be called before the functions below. */
export async function loadDoctor(): Promise<void> {
  loading ??= Module.load(doctorUrl);
  loaded = await loading;
}

function ask<T>(question: object): T {
  if (!loaded) throw new Error("the doctor is not loaded yet");
  return loaded.ask(question) as T;
}

export interface Composition {
  board: BoardText;
  is_white_to_move: boolean;
  castling: string;
  en_passant: string | null;
  halfmove_clock: number;
  fullmove_number: number;
}

export const compose = (composition: Composition): string => ask({ do: "compose", ...composition });

export const examine = (fen: string, language: string, is_quick: boolean, is_chess960 = false): Diagnosis =>
  ask({ do: "examine", fen, language, is_quick, is_chess960 });
