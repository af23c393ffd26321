/**
 * Client of the program on this machine that serves the page, when a user runs it for themselves.
 *
 * The program prints an address that contains a key. The key stays in this browser and is sent with
 * every request; without it, nothing here is available.
 */

import type { AddEngineReply, AddEngineRequest, ErrorBody, ExternalEngine, LocalFeatures } from "../net/api-types";
import type { ServerCode } from "../net/protocol";

export type { AddEngineRequest as EngineSetup, ExternalEngine as OtherEngine, OwnEngine } from "../net/api-types";

const STORED = "castellan.key";

/** Reads the key and removes it from the address, so that it is neither visible nor shared. */
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

/** Error with the code of the program's refusal; `not_local` if there is no such program. */
export class LocalRefusal extends Error {
  constructor(readonly code: ServerCode | "not_local" | "unknown") {
    super(code);
    this.name = "LocalRefusal";
  }
}

/** Sends a request to the program. */
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
  const refusal = (await answer.json().catch(() => ({}))) as Partial<ErrorBody>;
  throw new LocalRefusal(refusal.code ?? "unknown");
}

/** Returns what the program offers, or `null` if there is no such program. */
export async function localFeatures(): Promise<LocalFeatures | null> {
  if (!key) return null;
  try {
    return (await (await askLocal("", "GET")).json()) as LocalFeatures;
  } catch {
    return null;
  }
}

/** Adds an engine. Throws `LocalRefusal` if the program is not one. */
export async function addEngine(setup: AddEngineRequest): Promise<ExternalEngine> {
  const answer = (await (await askLocal("/engines", "POST", setup)).json()) as AddEngineReply;
  if ("refused" in answer) throw new LocalRefusal(answer.refused.code);
  return answer;
}

export const removeEngine = (id: number): Promise<Response> => askLocal(`/engines/${id}`, "DELETE");

export const quitProgram = (): Promise<Response> => askLocal("/quit", "POST");
