/**
 * The online game on the screen, played or watched.
 *
 * Responsible for what the server says about the game, and for sending what the user does. The game
 * itself is open in the WebAssembly module, which applies the server's events and shows the user's
 * move before it is acknowledged. The server decides everything: a move that it refuses is taken
 * back here, with a message. A move that was not acknowledged is sent again after every reconnect.
 */

import { Refused as BadRequest } from "../core/module";
import * as table from "../core/table";
import type { Color, EventReply, GameChange, GameView, MoveView } from "../core/types";
import { pauseMs } from "../net/pauses";
import type { ServerClock } from "../net/server-clock";
import type { ChatHistory, ChatLine, ClientMessage, GameEvent, GameEventKind, PresenceView, Proposal, Ratings, Refused, Snapshot } from "../net/protocol";
import { play } from "../sound";
import { announcer } from "./announce.svelte";
import { t, type MessageKey } from "./i18n.svelte";
import { FULL, levelWord } from "./level";
import { readStored, store } from "./settings.svelte";
import { ShownGame, type PlayerLabel } from "./shown-game.svelte";
import { refusedText } from "./refusal-text";

/** Maximum number of chat lines kept. */
const MAX_CHAT_LINES = 200;
const TICK_MS = 100;
const MUTED_KEY = "castellan.muted";
/** Maximum number of muted players; the server has the same limit. */
const MOST_MUTED = 50;

type Send = (message: ClientMessage) => boolean;

const DECLINED: Record<Proposal, MessageKey> = {
  draw: "online.drawDeclined",
  takeback: "online.takebackDeclined",
  rematch: "online.rematchDeclined",
};

/** Returns the muted names stored in this browser; a damaged entry counts as empty. */
function keptMuted(): string[] {
  const kept = readStored<unknown>(MUTED_KEY);
  return Array.isArray(kept) ? kept.filter((name) => typeof name === "string").slice(-MOST_MUTED) : [];
}

/** What the server says about a game besides the game itself. */
type About = Pick<Snapshot, "you" | "level" | "rematch" | "rematch_of" | "presence">;

export class Live extends ShownGame {
  /** Id of the game to show; its snapshot may not have arrived yet. */
  id = $state<string | null>(null);
  about = $state.raw<About | null>(null);
  chatLines = $state.raw<ChatLine[]>([]);
  /** Names that the user has muted, stored in this browser. */
  muted = $state.raw<string[]>(keptMuted());
  ratings = $state.raw<Ratings | null>(null);
  /** Why the server cannot show the game; `null` if it can. */
  missing = $state<"unknown_game" | "damaged_game" | null>(null);
  /** Seconds until the absent player forfeits the game; `null` if both are present. */
  leavesIn = $state<number | null>(null);
  /** Whether events were missed and have been requested. */
  #isBehind = false;
  readonly #serverClock: ServerClock;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Requests of the game that the server was too busy to answer, since the last answer. */
  #busyReplies = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #send: Send;

  constructor(send: Send, serverClock: ServerClock) {
    super();
    this.#send = send;
    this.#serverClock = serverClock;
  }

  /** Current time of the server's clock. */
  get now(): number {
    return this.#serverClock.now();
  }

  /** The user's color; `null` for spectators. */
  get color(): Color | null {
    const you = this.about?.you;
    return you === "white" || you === "black" ? you : null;
  }

  get isPlayer(): boolean {
    return this.about?.you !== undefined;
  }

  override get canMove(): boolean {
    const you = this.about?.you;
    const isMine = you === "both" || (you !== undefined && you === this.view?.turn);
    return this.isLive && this.view?.is_running === true && isMine && this.view.pending === null && !this.missing;
  }

  override get isOwnTurn(): boolean {
    return this.color !== null && this.view?.is_running === true && this.view.turn === this.color;
  }

  override get waitsAs(): Color | null {
    const isWaiting = this.isLive && this.view?.is_running === true && this.view.turn !== this.color;
    return isWaiting ? this.color : null;
  }

  override labelOf(color: Color): PlayerLabel {
    const { view, about } = this;
    const level = about?.level;
    const isEngine = level !== undefined && this.engineColor === color;
    const change = this.ratings?.[color];
    const rated = change ? `${change.after} (${signed(change.after - change.before)})` : String(view?.ratings[color] ?? "");
    // The number is already part of the engine's name.
    const rank = isEngine ? levelWord(level === "full" ? FULL : level) : rated;
    return { rank, state: about && view && !view.end && !isEngine && !about.presence[color] ? t("online.away") : "" };
  }

  /** Whether one side is played by an engine. */
  get isWithEngine(): boolean {
    return this.about?.level !== undefined;
  }

  /** The side that the server's engine plays. */
  get engineColor(): Color | null {
    const program = this.view?.program;
    return program ? (program.is_white ? "white" : "black") : null;
  }

  /** Returns whether an offer from the opponent is waiting for an answer. */
  asked(what: Proposal): boolean {
    const by = this.view?.offers[what] ?? null;
    return by !== null && by !== this.color;
  }

  /** Returns whether the user's own offer is waiting for an answer. */
  offered(what: Proposal): boolean {
    const by = this.view?.offers[what] ?? null;
    return by !== null && by === this.color;
  }

  /** Switches to a game; its snapshot follows when the server answers. */
  visit(id: string): void {
    if (this.id === id) return;
    this.leave();
    this.id = id;
    this.#send({ type: "watch", data: { game: id } });
  }

  /** Leaves the game on the screen. A player keeps their seat. */
  leave(): void {
    const { id, about, view } = this;
    if (id && about && !about.you) this.#send({ type: "leave", data: { game: id } });
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    this.#busyReplies = 0;
    if (view) table.closeGame(view.game);
    this.clear();
    this.id = null;
    this.about = null;
    this.view = null;
    this.clocks = null;
    this.chatLines = [];
    this.ratings = null;
    this.missing = null;
    this.leavesIn = null;
  }

  /** Requests the missed events, after a reconnect. */
  catchUp(): void {
    if (!this.id) return;
    this.#isBehind = true;
    if (this.view) this.#send({ type: "resync", data: { game: this.id, version: this.view.version } });
    else this.#send({ type: "watch", data: { game: this.id } });
  }

  /** Replaces the state with a complete snapshot. */
  applySnapshot(snapshot: Snapshot): void {
    const before = this.view;
    const { you, level, rematch, rematch_of, presence } = snapshot;
    this.missing = null;
    if (!before) this.orientation = you === "black" ? "black" : "white";
    this.#serverClock.observe(snapshot.clocks.at);
    const view = table.followGame(snapshot, before?.game ?? null, this.#serverClock.now());
    this.about = { presence, ...(you && { you }), ...(level && { level }), ...(rematch && { rematch }), ...(rematch_of && { rematch_of }) };
    this.#show(view);
    this.#caughtUp();
  }

  /** Called when all missed events have arrived: sends an unacknowledged move again. */
  #caughtUp(): void {
    clearTimeout(this.#retry);
    this.#busyReplies = 0;
    if (this.#isBehind) this.#sendAgain();
    this.#isBehind = false;
  }

  /** Applies an event. If events are missing before it, requests them. */
  applyEvent(event: GameEvent): void {
    const before = this.view;
    if (!before || event.game !== this.id) return;
    if (event.clocks) this.#serverClock.observe(event.clocks.at);
    const reply = this.#apply(before, event);
    switch (reply?.type) {
      case "applied":
        this.#remark(event.event);
        this.#show(table.changed(before, reply));
        // Of several events that are sent again, only the last one has clocks.
        if (event.clocks) this.#caughtUp();
        return;
      case "current":
        // No event was missed; only the clocks are newer.
        this.#show(table.changed(before, reply));
        this.#caughtUp();
        return;
      case "missing":
        this.catchUp();
        return;
      case "old":
      case undefined:
    }
  }

  /** Applies an event to the open game. Asks for the whole game if the event is not understood. */
  #apply({ game }: GameView, event: GameEvent): EventReply | undefined {
    try {
      return table.followEvent(game, event, this.#serverClock.now());
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      this.#isBehind = true;
      this.#send({ type: "watch", data: { game: event.game } });
      return undefined;
    }
  }

  /** Tells the user about events that the board does not show. */
  #remark(happened: GameEventKind): void {
    let remark = "";
    if (happened.type === "declined" && this.isPlayer && happened.by !== this.color) remark = t(DECLINED[happened.what]);
    if (happened.type === "time_added" && happened.to === this.color) {
      remark = t("online.timeGiven", { seconds: Math.round(happened.added_ms / 1000) });
    }
    if (happened.type === "resumed" && happened.credited_ms >= 1000) {
      remark = t("online.resumed", { seconds: Math.round(happened.credited_ms / 1000) });
    }
    if (!remark) return;
    this.notice = remark;
    announcer.say(remark);
  }

  /** Shows a new state of the game. */
  #show(view: GameView): void {
    const before = this.view;
    this.#draw(view);
    if (before) this.tell(before, view);
    clearInterval(this.#timer);
    if (!view.end) this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
    this.settle();
  }

  #draw(view: GameView): void {
    if (this.view && view.plies.length !== this.view.plies.length) this.shownPly = null;
    this.view = view;
    this.clocks = view.clocks;
  }

  override move(move: Pick<MoveView, "uci">): boolean {
    const before = this.view;
    if (!before || !this.canMove) return false;
    this.notice = "";
    const change = this.#shown(before, move.uci);
    if (!change) return false;
    const view = table.changed(before, change);
    this.#draw(view);
    this.tell(before, view);
    this.#sendAgain();
    return true;
  }

  /** Shows a move before it is acknowledged. Returns `null` if the game does not allow it. */
  #shown({ game }: GameView, uci: string): GameChange | null {
    try {
      return table.showMove(game, uci, this.#serverClock.now());
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      this.notice = refusedText(error.code);
      return null;
    }
  }

  /** Sends the move, again if needed; the server ignores repeats, so this is safe. */
  #sendAgain(): void {
    const [pending, game] = [this.view?.pending, this.id];
    if (pending && game) this.#send({ type: "make move", data: { game, ply: pending.ply, mv: pending.uci } });
  }

  override touch(square: string): void {
    const { id, view } = this;
    if (!id || !view?.settings.is_touch_move) return;
    this.#send({ type: "touch", data: { game: id, ply: view.ply, square } });
  }

  /** Resigns, aborts the game, or gives the opponent time. */
  act(type: "resign" | "abort" | "add time"): void {
    if (this.id) this.#say({ type, data: { game: this.id } });
  }

  propose(type: "offer" | "accept" | "decline", what: Proposal): void {
    if (this.id) this.#say({ type, data: { game: this.id, what } });
  }

  /** Claims a draw for the current position, or with a move that is announced but not played. */
  claim(announced?: string): void {
    const { id, view } = this;
    const move = announced === undefined ? {} : { announced };
    if (id && view) this.#say({ type: "claim", data: { game: id, ply: view.ply, ...move } });
  }

  chat(text: string): boolean {
    return this.id !== null && this.#send({ type: "chat", data: { game: this.id, text } });
  }

  /** Mutes or unmutes a player. The server forgets this on restart, but this browser does not. */
  mute(name: string, isMuted: boolean): void {
    this.#send({ type: "mute", data: { name, is_muted: isMuted } });
    const others = this.muted.filter((it) => it !== name);
    this.muted = isMuted ? [...others, name].slice(-MOST_MUTED) : others;
    store(MUTED_KEY, this.muted);
    // The messages that the server held back arrive with the missed events.
    if (!isMuted) this.catchUp();
  }

  /** Chat lines from players who are not muted. */
  get visibleChat(): ChatLine[] {
    return this.chatLines.filter(({ name }) => !this.muted.includes(name));
  }

  #say(message: ClientMessage): void {
    this.notice = this.#send(message) ? "" : t("online.notNow");
  }

  addChatLine(line: ChatLine): void {
    if (line.game !== this.id) return;
    this.chatLines = [...this.chatLines, line].slice(-MAX_CHAT_LINES);
    if (this.muted.includes(line.name)) return;
    if (line.name !== (this.color ? this.view?.[this.color] : "")) {
      announcer.say(t("online.says", { name: line.name, text: line.text }));
    }
  }

  /** Replaces the chat with its history, without announcing the lines again. */
  setChatHistory(history: ChatHistory): void {
    if (history.game === this.id) this.chatLines = history.lines;
  }

  updatePresence(presence: PresenceView): void {
    const { about: before, view } = this;
    if (!before) return;
    this.about = { ...before, presence };
    for (const color of ["white", "black"] as const) {
      const name = view?.[color];
      if (!name || view.end || presence[color] === before.presence[color]) continue;
      announcer.say(`${name} ${t(presence[color] ? "online.back" : "online.away")}`);
    }
  }

  rated(ratings: Ratings): void {
    if (ratings.game === this.id) this.ratings = ratings;
  }

  /** Handles a refusal: takes back the user's move and shows the reason. */
  refused(refused: Refused): void {
    if (refused.code === "unknown_game" && !this.view) {
      this.missing = refused.code;
      return;
    }
    if (refused.code === "damaged_game") {
      this.#stop();
      return;
    }
    if (refused.code === "busy" && (refused.of === "watch" || refused.of === "resync")) {
      // Many players come back at once after an outage. Without an answer the board would stand still.
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.catchUp(), pauseMs(this.#busyReplies++, Math.random()));
      return;
    }
    this.notice = refusedText(refused.code);
    announcer.say(this.notice);
    play("refuse");
    const view = this.view;
    if (refused.of !== "make move" || !view) return;
    this.#draw(table.changed(view, table.hideMove(view.game, this.#serverClock.now())));
    this.catchUp();
  }

  /** Stops the game because the server has lost a part of it. Nobody's time is running any longer. */
  #stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    const { view } = this;
    if (view?.pending) this.#draw(table.changed(view, table.hideMove(view.game, this.#serverClock.now())));
    // The refused move and the news about the game say the same.
    if (this.missing) return;
    this.missing = "damaged_game";
    this.notice = refusedText("damaged_game");
    announcer.say(this.notice);
    play("refuse");
  }

  #tick(): void {
    const { view, about } = this;
    if (!view || !about) return;
    const clocks = table.clocks(view.game, this.#serverClock.now());
    this.clocks = clocks;
    if (!view.end) this.warn(clocks);
    const leaves = view.end ? undefined : about.presence.abandoned_at;
    const left = leaves === undefined ? null : Math.max(0, Math.ceil((leaves - this.#serverClock.now()) / 1000));
    if (left !== this.leavesIn) this.leavesIn = left;
  }
}

const signed = (number: number): string => (number < 0 ? `−${-number}` : `+${number}`);
