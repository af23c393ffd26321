/** The user's settings, stored in this browser. Every setting has a sensible default. */

import type { LanguageCode } from "./i18n.svelte";

export const BOARDS = ["paper", "slate", "moss", "contrast"] as const;
export const PIECES = ["study", "plain", "angular"] as const;

export interface Choices {
  language: LanguageCode | null;
  theme: "system" | "light" | "dark";
  board: (typeof BOARDS)[number];
  pieces: (typeof PIECES)[number];
  sounds: boolean;
  /** Loudness of sounds in percent. */
  volume: number;
  /** Shows a notification when it is the user's turn and the page is hidden. */
  notify: boolean;
  /** Lets the computer answer at once instead of taking the time of a person. */
  quickReplies: boolean;
  /** Hides everything but the board, the clocks, the moves and the actions during a game. */
  zen: boolean;
  /** Marks on the board: where the selected piece can go, the last move, a king in check. */
  targets: boolean;
  lastMove: boolean;
  checkMark: boolean;
  coordinates: boolean;
  /** Marks all pieces that can move, not only the one under the pointer. */
  movable: boolean;
  input: "both" | "click" | "drag";
  confirm: boolean;
  premove: boolean;
  autoqueen: boolean;
  animation: boolean;
  figurines: boolean;
  /** Starts the engine as soon as a game is opened in the review. */
  autoAnalysis: boolean;
  /** Number of best lines that the engine looks for, from 1 to 5. */
  lines: number;
  /** Number of threads of the built-in engine; more than one only if it runs as a program on this machine. */
  threads: number;
  /** Writes the engine's evaluations into games that are saved from the review. */
  saveEvals: boolean;
  turnBoard: boolean;
  onlineName: string;
  onlineMinutes: number;
  onlineIncrement: number;
  names: { white: string; black: string };
  clock: "none" | "up" | "down";
  minutes: number;
  increment: number;
  touchMove: boolean;
  /** How long the built-in engine analyzes each position. */
  analysis: "quick" | "normal" | "thorough";
  level: number;
  side: "white" | "black" | "random";
  computerClock: "none" | "up" | "down";
  /** Id of another engine on this machine that plays instead of the built-in one. */
  otherEngine: number | null;
  /** Strength limit of that engine; above its range it plays at full strength. */
  otherElo: number;
  start: "usual" | "chess960";
  /** Number of the Chess960 start position as typed; empty for a random one. */
  startNumber: string;
}

const DEFAULTS: Choices = {
  language: null,
  theme: "system",
  board: "paper",
  pieces: "study",
  sounds: true,
  volume: 80,
  notify: false,
  quickReplies: false,
  zen: false,
  targets: true,
  lastMove: true,
  checkMark: true,
  coordinates: true,
  movable: false,
  input: "both",
  confirm: false,
  premove: true,
  autoqueen: false,
  animation: true,
  figurines: false,
  autoAnalysis: true,
  lines: 3,
  threads: 1,
  saveEvals: true,
  turnBoard: false,
  onlineName: "",
  onlineMinutes: 10,
  onlineIncrement: 5,
  names: { white: "", black: "" },
  clock: "down",
  minutes: 10,
  increment: 5,
  touchMove: false,
  analysis: "normal",
  level: 1500,
  side: "white",
  computerClock: "down",
  otherEngine: null,
  otherElo: 10_000,
  start: "usual",
  startNumber: "",
};

const KEY = "castellan.settings";

function load(): Choices {
  const kept = readStored<Partial<Choices>>(KEY) ?? {};
  const fits = (name: string, value: unknown) =>
    name in DEFAULTS &&
    (name === "language" || name === "otherEngine" || typeof value === typeof DEFAULTS[name as keyof Choices]);
  const known = Object.fromEntries(Object.entries(kept).filter(([name, value]) => fits(name, value)));
  const all: Choices = { ...DEFAULTS, ...known };
  // A set that this version does not have would leave the board without pieces.
  if (!BOARDS.includes(all.board)) all.board = DEFAULTS.board;
  if (!PIECES.includes(all.pieces)) all.pieces = DEFAULTS.pieces;
  return all;
}

/** Reads a value stored in this browser; `undefined` if it is missing or damaged. */
export function readStored<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

/** Stores a value in this browser, if the browser allows it. */
export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows may have no storage; the page works without it.
  }
}

/** Removes a value from the storage of this browser. */
export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // As above.
  }
}

export const settings: Choices = $state(load());

/** Saves the settings and applies the theme whenever they change. The page calls this once. */
export function watchSettings(): void {
  $effect(() => {
    store(KEY, $state.snapshot(settings));
  });
  $effect(() => {
    const root = document.documentElement;
    if (settings.theme === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = settings.theme;
    root.dataset["board"] = settings.board;
    root.dataset["motion"] = settings.animation ? "on" : "off";
  });
}
