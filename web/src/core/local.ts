/**
 * The program on this machine that serves the page, where it was started for one person.
 *
 * Whoever started it was given an address with a key in it. The key stays in this browser and
 * goes along with every question; without it there is nothing here.
 */

import type { Thought } from "./types";

export interface OtherEngine {
  id: number;
  name: string;
  author: string;
  path: string;
  /** How weak and how strong it can be told to play. */
  elo?: { min: number; max: number } | null;
}

const STORED = "castellan.key";

/** Takes the key out of the address, so that it is neither seen nor passed on. */
function readKey(): string | null {
  const said = /^#key=([0-9a-f]{32})$/.exec(location.hash)?.[1];
  try {
    if (said) {
      history.replaceState(history.state, "", location.pathname + location.search);
      localStorage.setItem(STORED, said);
    }
    return said ?? localStorage.getItem(STORED);
  } catch {
    return said ?? null;
  }
}

const key = readKey();

/** Why the program did not do something. */
export class LocalRefusal extends Error {
  constructor(readonly code: string) {
    super(code);
    this.name = "LocalRefusal";
  }
}

/** Asks the program something. */
export async function askLocal(path: string, method: "GET" | "POST" | "DELETE", body?: object, signal?: AbortSignal): Promise<Response> {
  if (!key) throw new LocalRefusal("not_local");
  const headers: Record<string, string> = { "X-Castellan-Key": key };
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(`/api/local${path}`, {
    method,
    headers,
    cache: "no-store",
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  });
  if (answer.ok) return answer;
  const told = (await answer.json().catch(() => ({}))) as { code?: string };
  throw new LocalRefusal(told.code ?? "unknown");
}

/** The engines that the program knows; nothing where there is no such program. */
export async function listEngines(): Promise<OtherEngine[] | null> {
  if (!key) return null;
  try {
    const answer = await askLocal("", "GET");
    return ((await answer.json()) as { engines: OtherEngine[] }).engines;
  } catch {
    return null;
  }
}

export const addEngine = async (path: string): Promise<OtherEngine> =>
  (await (await askLocal("/engines", "POST", { path })).json()) as OtherEngine;

export const removeEngine = (id: number): Promise<Response> => askLocal(`/engines/${id}`, "DELETE");

export const quitProgram = (): Promise<Response> => askLocal("/quit", "POST");

/** What an engine says on its way, and at last. */
export type EngineLine = { told: Told } | { thought: Thought } | { error: { code: string; words: string } };

/** A line that an engine looks at. */
export interface Told {
  depth: number | null;
  rank: number;
  score: { cp?: number; mate?: number } | null;
  nodes: number;
  moves: string[];
  line: string[];
}
