/** Client of the server's HTTP API: identity, games, players. */

import type { Color, EndReason, TimeControl } from "../core/types";
import type { Code } from "./protocol";

export interface RatingRow {
  category: "bullet" | "blitz" | "rapid" | "classical" | "unlimited";
  rating: number;
  deviation: number;
  games: number;
}

export interface Me {
  player: number;
  name: string;
  is_account: boolean;
  is_admin?: boolean;
  ratings: RatingRow[];
}

/** Who may create an account. */
export type Registration = "open" | "invitation" | "closed";

/** What protects an account besides its password. */
export interface Safety {
  recovery_codes_left: number;
  has_second_factor: boolean;
  /** The confirmed e-mail address. */
  email: string | null;
  /** Whether the server can send mail, so that an address can be added. */
  sends_mail: boolean;
}

/** A secret for an authenticator app. */
export interface NewSecret {
  secret: string;
  link: string;
}

/** One part of what the server stores about the user. */
export interface OwnData {
  name: string;
  games: { id: string; pgn: string }[];
  next: string | null;
}

/** A session in which the account is signed in. */
export interface SessionRow {
  id: string;
  /** Name that the browser reports for itself; untrusted text. */
  device: string;
  seen: number;
  is_current: boolean;
}

export interface SeatRow {
  name: string;
  rating: number | null;
}

export interface GameRow {
  id: string;
  white: SeatRow | null;
  black: SeatRow | null;
  end: { result: string; reason: EndReason; winner: Color | null };
  plies: number;
  created: number;
  finished: number;
}

export interface GameList {
  games: GameRow[];
  next: string | null;
}

/** What is happening on the server right now. */
export interface Now {
  people: number;
  waiting: number;
  playing: number;
  games: { id: string; white: SeatRow | null; black: SeatRow | null; time_control: TimeControl; is_rated: boolean }[];
  /** The kinds of games that players wait for, those with the most players first. */
  wanted: { time_control: TimeControl; is_rated: boolean; players: number }[];
}

export interface Tally {
  wins: number;
  draws: number;
  losses: number;
}

export interface PlayerView {
  name: string;
  is_account: boolean;
  as_white: Tally;
  as_black: Tally;
  ratings: RatingRow[];
}

/** What is going on, for admins. */
export interface AdminStatus {
  players: number;
  connections: number;
  waiting: number;
  games: number;
}

export interface BanRow {
  number: number;
  /** Whom it keeps out, as a command names it. */
  target: object;
  label: string;
  reason: string;
  until: number | null;
}

/** A complaint about a player; the text and the names are untrusted. */
export interface ReportRow {
  number: number;
  at: number;
  reporter_name: string;
  reported: number;
  reported_name: string;
  game: string;
  text: string;
}

export interface AuditRow {
  number: number;
  at: number;
  actor: string;
  action: string;
  target: string;
  details: string;
}

/**
 * Error of a request that was not answered; the code is `unreachable` if no Castellan server
 * responded.
 */
export class ApiProblem extends Error {
  constructor(
    readonly code: Code | "unreachable",
    words: string,
  ) {
    super(words);
    this.name = "ApiProblem";
  }
}

type Method = "GET" | "POST" | "DELETE";

/** Timeout for a response, in milliseconds. */
const TIMEOUT_MS = 15_000;

async function ask(method: Method, path: string, body?: object): Promise<Response> {
  const init: RequestInit = { method, signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" };
  if (body) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  try {
    return await fetch(path, init);
  } catch {
    throw new ApiProblem("unreachable", "the server does not respond");
  }
}

async function call<T>(method: Method, path: string, body?: object): Promise<T> {
  const response = await ask(method, path, body);
  // A plain file server answers every path with the page itself.
  const isOurs = response.headers.get("content-type")?.includes("application/json") ?? false;
  if (!isOurs) throw new ApiProblem("unreachable", "the response is not from a Castellan server");
  const answer = (await response.json()) as T & { code?: Code; words?: string };
  if (!response.ok) throw new ApiProblem(answer.code ?? "internal", answer.words ?? "");
  return answer;
}

export const whoAmI = async (): Promise<Me | null> => (await call<{ me: Me | null }>("GET", "/api/me")).me;
export const becomeGuest = (name: string): Promise<Me> => call("POST", "/api/guest", { name });
export const registration = async (): Promise<Registration> =>
  (await call<{ registration: Registration }>("GET", "/api/me")).registration;
/** Returns whether the server can send mail. */
export const sendsMail = async (): Promise<boolean> => (await call<{ sends_mail: boolean }>("GET", "/api/me")).sends_mail;
/** Creates an account; the code is needed only where registration is by invitation. */
export const register = (name: string, password: string, code: string): Promise<Me> =>
  call("POST", "/api/register", { name, password, ...(code && { code }) });
/** Signs in; the code is needed only if the account has a second factor. */
export const login = (name: string, password: string, code: string): Promise<Me> =>
  call("POST", "/api/login", { name, password, ...(code && { code }) });
/** Sets a new password with a recovery code. */
export const recover = (name: string, code: string, wanted: string): Promise<unknown> =>
  call("POST", "/api/recover", { name, code, new: wanted });
/** Asks for a code by e-mail, with which a new password can be set. */
export const mailCode = (account: string, language: string): Promise<unknown> =>
  call("POST", "/api/recover/mail", { account, language });
export const logout = (): Promise<unknown> => call("POST", "/api/logout", {});

export const changePassword = (current: string, wanted: string): Promise<Me> =>
  call("POST", "/api/password", { current, new: wanted });
export const safety = (): Promise<Safety> => call("GET", "/api/security");
export const recoveryCodes = (password: string, code: string): Promise<{ codes: string[] }> =>
  call("POST", "/api/recovery-codes", { password, code });
export const newSecret = (): Promise<NewSecret> => call("POST", "/api/second-factor/secret", {});
export const setSecondFactor = (password: string, secret: string, code: string): Promise<Safety> =>
  call("POST", "/api/second-factor", { password, secret, code });
export const removeSecondFactor = (password: string, code: string): Promise<Safety> =>
  call("POST", "/api/second-factor/remove", { password, code });
/** Asks for a code that confirms an e-mail address. */
export const setEmail = (email: string, language: string, password: string, code: string): Promise<unknown> =>
  call("POST", "/api/email", { email, language, password, code });
export const confirmEmail = (code: string): Promise<Safety> => call("POST", "/api/email/confirm", { code });
export const removeEmail = (password: string, code: string): Promise<Safety> =>
  call("POST", "/api/email/remove", { password, code });
export const ownData = (cursor: string): Promise<OwnData> =>
  call("GET", `/api/me/export?${new URLSearchParams({ cursor }).toString()}`);
export const deleteAccount = (password: string, code: string): Promise<unknown> =>
  call("POST", "/api/me/delete", { password, code });
export const report = (game: string, color: Color, text: string): Promise<unknown> =>
  call("POST", "/api/reports", { game, color, text });
/** Sends a command of an admin. */
export const admin = <T>(command: object): Promise<T> => call("POST", "/api/admin", command);
export const sessions = (): Promise<{ sessions: SessionRow[] }> => call("GET", "/api/sessions");
export const endSession = (id: string): Promise<unknown> => call("DELETE", `/api/sessions/${encodeURIComponent(id)}`);
export const endOtherSessions = (): Promise<unknown> => call("DELETE", "/api/sessions");

export const games = (name: string, cursor: string): Promise<GameList> =>
  call("GET", `/api/games?${new URLSearchParams({ name, cursor, limit: "25" }).toString()}`);
/** Returns what is happening. An older server does not say what players wait for. */
export async function runningGames(): Promise<Now> {
  const now = await call<Omit<Now, "wanted"> & Partial<Now>>("GET", "/api/games/running");
  return { ...now, wanted: now.wanted ?? [] };
}
export const longestGames = (): Promise<GameList> => call("GET", "/api/games/longest");
/** Returns a player by name, or `null` if there is none. */
export const player = async (name: string): Promise<PlayerView | null> =>
  (await call<{ player: PlayerView | null }>("GET", `/api/players?${new URLSearchParams({ name }).toString()}`)).player;

/** Returns the path of a game's PGN. */
export const pgnPath = (id: string): string => `/api/games/${encodeURIComponent(id)}/pgn`;

export async function gamePgn(id: string): Promise<string> {
  const response = await ask("GET", pgnPath(id));
  const isPgn = response.headers.get("content-type")?.includes("chess-pgn") ?? false;
  if (!response.ok || !isPgn) throw new ApiProblem(response.status === 404 ? "unknown_game" : "unreachable", "");
  return response.text();
}
