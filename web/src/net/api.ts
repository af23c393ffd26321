/** Client of the server's HTTP API: identity, games, players. */

import type { Color } from "../core/types";
import type {
  AdminRefusal,
  AdminReply,
  AdminRequest,
  ErrorBody,
  FoundPlayer,
  GameList,
  Me,
  NewSecret,
  Now,
  PlayerView,
  RecoveryCodes,
  RegistrationMode,
  Security,
  SessionList,
  UserExport,
  WhoAmI,
} from "./api-types";
import type { Code } from "./protocol";

export type {
  AccountView,
  AdminReply,
  AdminRequest,
  AdminTarget,
  AuditView,
  BanView,
  GameRow,
  Me,
  NewSecret,
  Now,
  PlayerView,
  RegistrationMode,
  ReportView,
  ResultCountsRow,
  SeatRow,
  Security,
  SessionRow,
  StatusView,
  UserExport,
} from "./api-types";

/**
 * Error of a request that was not answered; the code is `unreachable` if no Castellan server
 * responded.
 */
export class ApiProblem extends Error {
  constructor(
    readonly code: Code | "unreachable",
    message: string,
    /** Why a command of an admin was refused. */
    readonly refusal: AdminRefusal | null = null,
  ) {
    super(message);
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
  const answer = (await response.json()) as T & Partial<ErrorBody>;
  if (!response.ok) throw new ApiProblem(answer.code ?? "internal", answer.message ?? "", answer.refusal);
  return answer;
}

export const whoAmI = async (): Promise<Me | null> => (await call<WhoAmI>("GET", "/api/me")).me;
export const becomeGuest = (name: string): Promise<Me> => call("POST", "/api/guest", { name });
export const registration = async (): Promise<RegistrationMode> => (await call<WhoAmI>("GET", "/api/me")).registration;
/** Returns whether the server can send mail. */
export const sendsMail = async (): Promise<boolean> => (await call<WhoAmI>("GET", "/api/me")).sends_mail;
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
export const security = (): Promise<Security> => call("GET", "/api/security");
export const recoveryCodes = (password: string, code: string): Promise<RecoveryCodes> =>
  call("POST", "/api/recovery-codes", { password, code });
export const newSecret = (): Promise<NewSecret> => call("POST", "/api/second-factor/secret", {});
export const setSecondFactor = (password: string, secret: string, code: string): Promise<Security> =>
  call("POST", "/api/second-factor", { password, secret, code });
export const removeSecondFactor = (password: string, code: string): Promise<Security> =>
  call("POST", "/api/second-factor/remove", { password, code });
/** Asks for a code that confirms an e-mail address. */
export const setEmail = (email: string, language: string, password: string, code: string): Promise<unknown> =>
  call("POST", "/api/email", { email, language, password, code });
export const confirmEmail = (code: string): Promise<Security> => call("POST", "/api/email/confirm", { code });
export const removeEmail = (password: string, code: string): Promise<Security> =>
  call("POST", "/api/email/remove", { password, code });
export const ownData = (cursor: string): Promise<UserExport> =>
  call("GET", `/api/me/export?${new URLSearchParams({ cursor }).toString()}`);
export const deleteAccount = (password: string, code: string): Promise<unknown> =>
  call("POST", "/api/me/delete", { password, code });
export const report = (game: string, color: Color, text: string): Promise<unknown> =>
  call("POST", "/api/reports", { game, color, text });
/** A reply of this kind to a command of an admin. */
export type AdminReplyOf<K extends AdminReply["reply"]> = Extract<AdminReply, { reply: K }>;
/** Sends a command of an admin, which the server answers with a reply of this kind. */
export async function admin<K extends AdminReply["reply"]>(kind: K, command: AdminRequest): Promise<AdminReplyOf<K>> {
  const answer = await call<AdminReply>("POST", "/api/admin", command);
  const isWanted = (reply: AdminReply): reply is AdminReplyOf<K> => reply.reply === kind;
  if (!isWanted(answer)) throw new ApiProblem("internal", `the reply is ${answer.reply} instead of ${kind}`);
  return answer;
}
export const sessions = (): Promise<SessionList> => call("GET", "/api/sessions");
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
  (await call<FoundPlayer>("GET", `/api/players?${new URLSearchParams({ name }).toString()}`)).player;

/** Returns the path of a game's PGN. */
export const pgnPath = (id: string): string => `/api/games/${encodeURIComponent(id)}/pgn`;

export async function gamePgn(id: string): Promise<string> {
  const response = await ask("GET", pgnPath(id));
  const isPgn = response.headers.get("content-type")?.includes("chess-pgn") ?? false;
  if (!response.ok || !isPgn) throw new ApiProblem(response.status === 404 ? "unknown_game" : "unreachable", "");
  return response.text();
}
