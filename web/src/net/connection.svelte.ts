/**
 * The WebSocket connection to the server. It is opened on demand and reconnects by itself.
 *
 * Responsible for the handshake, pings, delays between attempts, and reporting what is wrong. What
 * the messages mean is left to the listener. Invariant: at most one socket is open, and messages
 * from older sockets are ignored.
 */

import * as api from "./api";
import { pauseMs } from "./pauses";
import { PROTOCOL_VERSION, type ClientMessage, type ServerMessage, type Welcome } from "./protocol";

export type ConnectionState =
  /** No connection was requested. */
  | "off"
  | "connecting"
  | "open"
  /** Lost; it will reconnect by itself. */
  | "waiting"
  /** No server was ever reached. */
  | "unreachable"
  /** The server needs the user's name first. */
  | "nameless"
  /** Closed until the user signs in or reloads the page. */
  | "over";

/** What is wrong with the connection, to choose the message for the user. */
export type ConnectionProblem = "lost" | "offline" | "stopping" | "tooMany" | "fault" | "session" | "version" | "banned";

const PING_MS = 10_000;
/** Time without any message after which the socket counts as dead. */
const SILENCE_MS = 25_000;
/** Timeout for the handshake. */
const HANDSHAKE_MS = 10_000;

const PROBLEMS: Record<number, ConnectionProblem> = {
  1001: "stopping",
  1008: "tooMany",
  1011: "fault",
  4001: "session",
  4002: "version",
  4004: "banned",
};

export class Connection {
  state = $state<ConnectionState>("off");
  problem = $state<ConnectionProblem | null>(null);
  me = $state.raw<api.Me | null>(null);
  /** What the server says about the ban of the user; empty if there is none. */
  banText = $state("");
  /** Whether this page has been connected before. */
  wasOpen = $state(false);
  /** Returns the name that the guest chose before; empty if there is none. */
  #name: () => string;
  #listener: (message: ServerMessage) => void = () => {};
  #socket: WebSocket | null = null;
  #tries = 0;
  #receivedAt = 0;
  #pings = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  #handshake: ReturnType<typeof setTimeout> | undefined;
  /** Number of the current attempt, so that older attempts know they are outdated. */
  #attempt = 0;

  constructor(name: () => string) {
    this.#name = name;
  }

  /** Sets the listener for all server messages, from `welcome` on. */
  listen(listener: (message: ServerMessage) => void): void {
    this.#listener = listener;
  }

  /** Connects, unless a connection is open or under way. */
  open(): void {
    if (this.state === "connecting" || this.state === "open" || this.state === "waiting") return;
    if (this.state === "off") this.#watchNetwork();
    void this.#connect();
  }

  /** Connects immediately, canceling any scheduled attempt. */
  tryNow(): void {
    this.#tries = 0;
    this.#drop();
    void this.#connect();
  }

  /** Sends a message. Returns `false` if there is no open connection. */
  send(message: ClientMessage): boolean {
    if (this.state !== "open" || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Switches to another identity, or to none, and reconnects. */
  become(me: api.Me | null): void {
    this.me = me;
    this.tryNow();
  }

  /** Reloads the user's profile, because ratings change. */
  async readAgain(): Promise<void> {
    const me = await api.whoAmI().catch(() => null);
    if (me && me.player === this.me?.player) this.me = me;
  }

  #watchNetwork(): void {
    addEventListener("offline", () => this.#lose("offline"));
    addEventListener("online", () => this.#hurry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#hurry();
    });
  }

  #hurry(): void {
    if (this.state === "waiting" || this.state === "unreachable") this.tryNow();
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#retry);
    const attempt = ++this.#attempt;
    this.state = "connecting";
    try {
      const me = await this.#introduce();
      if (attempt !== this.#attempt) return;
      this.me = me;
      if (me) this.#dial(attempt);
      else this.state = "nameless";
    } catch (error) {
      if (attempt !== this.#attempt) return;
      this.#failed(error);
    }
  }

  /** Returns the user's identity, from their session or from the name they chose before. */
  async #introduce(): Promise<api.Me | null> {
    const me = await api.whoAmI();
    const name = this.#name();
    return me ?? (name ? await api.becomeGuest(name) : null);
  }

  #failed(error: unknown): void {
    const code = error instanceof api.ApiProblem ? error.code : "unreachable";
    if (code === "banned") this.#ban(error instanceof Error ? error.message : "");
    else if (code === "bad_name" || code === "name_taken") this.state = "nameless";
    else if (this.wasOpen || code !== "unreachable") this.#lose(code === "rate_limited" ? "tooMany" : "lost");
    else this.state = "unreachable";
  }

  #dial(attempt: number): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.#socket = socket;
    const isCurrent = () => attempt === this.#attempt && this.#socket === socket;
    socket.onopen = () => {
      if (isCurrent()) socket.send(JSON.stringify({ type: "hello", data: { version: PROTOCOL_VERSION } }));
    };
    socket.onmessage = (event) => {
      if (isCurrent() && typeof event.data === "string") this.#receive(event.data);
    };
    socket.onclose = (event) => {
      if (isCurrent()) this.#closed(event.code);
    };
    this.#handshake = setTimeout(() => {
      if (isCurrent() && this.state !== "open") this.#lose("lost");
    }, HANDSHAKE_MS);
  }

  #receive(text: string): void {
    this.#receivedAt = performance.now();
    let message: ServerMessage;
    try {
      message = JSON.parse(text) as ServerMessage;
    } catch {
      return;
    }
    if (message.type === "welcome") this.#welcomed(message.data);
    if (message.type === "shutting down") this.problem = "stopping";
    if (message.type === "error" && message.data.code === "banned") this.banText = message.data.message;
    this.#listener(message);
  }

  #welcomed(welcome: Welcome): void {
    clearTimeout(this.#handshake);
    this.state = "open";
    this.wasOpen = true;
    this.problem = null;
    this.banText = "";
    this.#tries = 0;
    if (this.me) this.me = { ...this.me, name: welcome.you.name, is_account: !welcome.you.is_guest };
    clearInterval(this.#beat);
    this.#beat = setInterval(() => this.#ping(), PING_MS);
  }

  #ping(): void {
    if (performance.now() - this.#receivedAt > SILENCE_MS) this.#lose("lost");
    else this.send({ type: "ping", data: { id: ++this.#pings } });
  }

  #closed(code: number): void {
    const problem = PROBLEMS[code] ?? "lost";
    if (problem !== "session" && problem !== "version" && problem !== "banned") {
      this.#lose(problem);
      return;
    }
    this.#drop();
    this.problem = problem;
    this.state = "over";
  }

  /** Stays closed, because the user is banned. */
  #ban(text: string): void {
    this.#drop();
    this.banText = text;
    this.problem = "banned";
    this.state = "over";
  }

  /** Handles a lost connection and schedules the next attempt. */
  #lose(problem: ConnectionProblem): void {
    if (this.state === "off" || this.state === "over" || this.state === "nameless") return;
    this.#drop();
    this.problem = problem;
    this.state = "waiting";
    const pause = pauseMs(this.#tries, Math.random(), problem === "tooMany");
    this.#tries += 1;
    this.#retry = setTimeout(() => void this.#connect(), pause);
  }

  #drop(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#handshake);
    clearInterval(this.#beat);
    this.#attempt += 1;
    this.#socket?.close();
    this.#socket = null;
  }
}
