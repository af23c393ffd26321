/**
 * The online game on the screen, played or watched.
 *
 * Responsible for the state received from the server, for the user's move that is shown before it
 * is acknowledged, and for the clocks between messages. The server decides everything: a move that
 * it refuses is taken back here, with a message. A move that was not acknowledged is sent again
 * after every reconnect.
 */

import { other } from "../board/geometry";
import * as table from "../core/table";
import type { ClockFace, ClocksView, Color, End, GameView, MoveView } from "../core/types";
import { apply, isEngineId, movesOf, turnOf } from "../net/ledger";
import type { ServerClock } from "../net/server-clock";
import type { ChatHistory, ChatLine, ClientMessage, GameEvent, GameHappening, PresenceView, Proposal, Ratings, Refused, Snapshot } from "../net/protocol";
import { play } from "../sound";
import { announcer } from "./announce.svelte";
import { t, type MessageKey } from "./i18n.svelte";
import { FULL, levelWord } from "./level";
import { readStored, store } from "./settings.svelte";
import { Sitting, type Beside } from "./sitting.svelte";
import { refusedText } from "./trouble";

/** Maximum number of chat lines kept. */
const TALK_LINES = 200;
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

const SCORES: Record<Color, string> = { white: "1-0", black: "0-1" };

function ending(snapshot: Snapshot): End | null {
  const end = snapshot.end;
  if (!end) return null;
  const draw = end.reason === "aborted" ? "*" : "1/2-1/2";
  return { reason: end.reason, winner: end.winner ?? null, score: end.winner ? SCORES[end.winner] : draw };
}

export class Live extends Sitting {
  /** Id of the game to show; its snapshot may not have arrived yet. */
  id = $state<string | null>(null);
  snapshot = $state.raw<Snapshot | null>(null);
  talk = $state.raw<ChatLine[]>([]);
  /** Names that the user has muted, stored in this browser. */
  muted = $state.raw<string[]>(keptMuted());
  ratings = $state.raw<Ratings | null>(null);
  /** Whether the server does not know the game. */
  isUnknown = $state(false);
  /** Seconds until the absent player forfeits the game; `null` if both are present. */
  leavesIn = $state<number | null>(null);
  /** Whether the user's last move has not been acknowledged yet. */
  isUnheard = $state(false);
  #sent: { ply: number; uci: string } | null = null;
  /** Whether events were missed and have been requested. */
  #isBehind = false;
  /** Server time at which the current turn started; `null` if unknown. */
  #turnSince: number | null = null;
  readonly #serverClock: ServerClock;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #send: Send;

  constructor(send: Send, serverClock: ServerClock) {
    super();
    this.#send = send;
    this.#serverClock = serverClock;
  }

  /** The user's color; `null` for spectators. */
  get color(): Color | null {
    const you = this.snapshot?.you;
    return you === "white" || you === "black" ? you : null;
  }

  get isPlayer(): boolean {
    return this.snapshot?.you !== undefined;
  }

  override get canMove(): boolean {
    const you = this.snapshot?.you;
    const isMine = you === "both" || (you !== undefined && you === this.view?.turn);
    return this.isLive && this.view?.is_running === true && isMine && this.#sent === null;
  }

  override get waitsAs(): Color | null {
    const isWaiting = this.isLive && this.view?.is_running === true && this.view.turn !== this.color;
    return isWaiting ? this.color : null;
  }

  override beside(color: Color): Beside {
    const snapshot = this.snapshot;
    const player = snapshot?.[color];
    const level = snapshot?.level;
    const isEngine = level !== undefined && player !== undefined && isEngineId(player.id);
    const change = this.ratings?.[color];
    const rated = change ? `${change.after} (${signed(change.after - change.before)})` : String(player?.rating ?? "");
    // The number is already part of the engine's name.
    const rank = isEngine ? levelWord(level === "full" ? FULL : level) : rated;
    return { rank, state: snapshot && !snapshot.end && !isEngine && !snapshot.presence[color] ? t("online.away") : "" };
  }

  /** Whether one side is played by an engine. */
  get isWithEngine(): boolean {
    return this.snapshot?.level !== undefined;
  }

  /** Returns whether an offer from the opponent is waiting for an answer. */
  asked(what: Proposal): boolean {
    return this.snapshot?.offers.some((offer) => offer.what === what && offer.by !== this.color) ?? false;
  }

  /** Returns whether the user's own offer is waiting for an answer. */
  offered(what: Proposal): boolean {
    return this.snapshot?.offers.some((offer) => offer.what === what && offer.by === this.color) ?? false;
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
    const { id, snapshot } = this;
    if (id && snapshot && !snapshot.you) this.#send({ type: "leave", data: { game: id } });
    clearInterval(this.#timer);
    this.clear();
    this.id = null;
    this.snapshot = null;
    this.view = null;
    this.clocks = null;
    this.talk = [];
    this.ratings = null;
    this.isUnknown = false;
    this.isUnheard = false;
    this.leavesIn = null;
    this.#sent = null;
  }

  /** Requests the missed events, after a reconnect. */
  catchUp(): void {
    if (!this.id) return;
    this.#isBehind = true;
    if (this.snapshot) this.#send({ type: "resync", data: { game: this.id, version: this.snapshot.version } });
    else this.#send({ type: "watch", data: { game: this.id } });
  }

  /** Replaces the state with a complete snapshot. */
  take(snapshot: Snapshot): void {
    const isNew = this.snapshot === null;
    this.isUnknown = false;
    this.#turnSince = null;
    if (isNew) this.orientation = snapshot.you === "black" ? "black" : "white";
    this.#become(snapshot);
    this.#caughtUp();
  }

  /** Called when all missed events have arrived: sends an unacknowledged move again. */
  #caughtUp(): void {
    if (this.#isBehind) this.#sendAgain();
    this.#isBehind = false;
  }

  /** Applies an event. If events are missing before it, requests them. */
  happen(event: GameEvent): void {
    const before = this.snapshot;
    if (!before || event.game !== before.game) return;
    if (event.version <= before.version) {
      // No event was missed; only the clocks are newer.
      if (event.clocks && event.version === before.version) {
        this.#become({ ...before, clocks: event.clocks });
        this.#caughtUp();
      }
      return;
    }
    const after = apply(before, event);
    if (!after) {
      this.catchUp();
      return;
    }
    if (["moved", "started", "taken_back"].includes(event.event.type)) this.#turnSince = event.at;
    this.#remark(event.event);
    this.#become(after);
    // Of several events that are sent again, only the last one has clocks.
    if (event.clocks) this.#caughtUp();
  }

  /** Tells the user about events that the board does not show. */
  #remark(happened: GameHappening): void {
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

  #become(snapshot: Snapshot): void {
    const before = this.view;
    const count = movesOf(snapshot).length;
    if (this.#sent && (count > this.#sent.ply || count < this.#sent.ply || snapshot.end)) this.#sent = null;
    this.snapshot = snapshot;
    this.#serverClock.hear(snapshot.clocks.at);
    this.isUnheard = this.#sent !== null;
    this.#draw(before);
    clearInterval(this.#timer);
    if (!snapshot.end) this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
    this.settle();
  }

  /** Shows the server's state, with the user's own move that is not acknowledged yet. */
  #draw(before: GameView | null): void {
    const snapshot = this.snapshot;
    if (!snapshot) return;
    const moves = [...movesOf(snapshot), ...(this.#sent ? [this.#sent.uci] : [])];
    const offer = (what: Proposal) => snapshot.offers.find((it) => it.what === what)?.by ?? null;
    const seen = table.followGame({
      settings: snapshot.settings,
      white: snapshot.white?.name ?? "",
      black: snapshot.black?.name ?? "",
      moves: moves.join(" "),
      touched: this.#sent ? [] : snapshot.touched,
    });
    const clocks = this.#shownClocks(snapshot);
    const view: GameView = {
      ...seen,
      version: snapshot.version,
      end: ending(snapshot),
      is_running: snapshot.started_at !== undefined && snapshot.end === undefined,
      offers: { draw: offer("draw"), takeback: offer("takeback") },
      clocks,
      duration_ms: this.#duration(snapshot),
    };
    if (before && view.plies.length !== before.plies.length) this.shownPly = null;
    this.view = view;
    this.clocks = clocks;
    if (before) this.tell(before, view);
  }

  override move(move: Pick<MoveView, "uci">): boolean {
    const snapshot = this.snapshot;
    if (!snapshot || !this.canMove) return false;
    this.notice = "";
    const before = this.view;
    this.#sent = { ply: movesOf(snapshot).length, uci: move.uci };
    this.isUnheard = true;
    this.#draw(before);
    this.#sendAgain();
    return true;
  }

  /** Sends the move, again if needed; the server ignores repeats, so this is safe. */
  #sendAgain(): void {
    const [sent, game] = [this.#sent, this.id];
    if (sent && game) this.#send({ type: "make move", data: { game, ply: sent.ply, mv: sent.uci } });
  }

  override touch(square: string): void {
    const snapshot = this.snapshot;
    if (!snapshot?.settings.is_touch_move) return;
    this.#send({ type: "touch", data: { game: snapshot.game, ply: movesOf(snapshot).length, square } });
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
    const snapshot = this.snapshot;
    const move = announced === undefined ? {} : { announced };
    if (snapshot) this.#say({ type: "claim", data: { game: snapshot.game, ply: movesOf(snapshot).length, ...move } });
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
  get heard(): ChatLine[] {
    return this.talk.filter(({ name }) => !this.muted.includes(name));
  }

  #say(message: ClientMessage): void {
    this.notice = this.#send(message) ? "" : t("online.notNow");
  }

  hearTalk(line: ChatLine): void {
    if (line.game !== this.id) return;
    this.talk = [...this.talk, line].slice(-TALK_LINES);
    if (this.muted.includes(line.name)) return;
    if (line.name !== (this.color ? this.snapshot?.[this.color]?.name : "")) {
      announcer.say(t("online.says", { name: line.name, text: line.text }));
    }
  }

  /** Replaces the chat with its history, without announcing the lines again. */
  recallTalk(history: ChatHistory): void {
    if (history.game === this.id) this.talk = history.lines;
  }

  attend(presence: PresenceView): void {
    const before = this.snapshot;
    if (!before) return;
    this.snapshot = { ...before, presence };
    for (const color of ["white", "black"] as const) {
      const name = before[color]?.name;
      if (!name || before.end || presence[color] === before.presence[color]) continue;
      announcer.say(`${name} ${t(presence[color] ? "online.back" : "online.away")}`);
    }
  }

  rated(ratings: Ratings): void {
    if (ratings.game === this.id) this.ratings = ratings;
  }

  /** Handles a refusal: takes back the user's move and shows the reason. */
  refused(refused: Refused): void {
    if (refused.code === "unknown_game" && !this.snapshot) {
      this.isUnknown = true;
      return;
    }
    this.notice = refusedText(refused.code);
    announcer.say(this.notice);
    play("refuse");
    if (refused.of !== "make move") return;
    this.#sent = null;
    this.isUnheard = false;
    this.#draw(null);
    this.catchUp();
  }

  #tick(): void {
    const snapshot = this.snapshot;
    if (!snapshot) return;
    const clocks = this.#shownClocks(snapshot);
    this.clocks = clocks;
    if (!snapshot.end) this.warn(clocks);
    const leaves = snapshot.end ? undefined : snapshot.presence.abandoned_at;
    const left = leaves === undefined ? null : Math.max(0, Math.ceil((leaves - this.#serverClock.now()) / 1000));
    if (left !== this.leavesIn) this.leavesIn = left;
  }

  /** Returns how long the game has lasted so far, or in total if it is over. */
  #duration({ started_at, ended_at }: Snapshot): number {
    return started_at === undefined ? 0 : Math.max(0, (ended_at ?? this.#serverClock.now()) - started_at);
  }

  /** Returns the current clock times, extrapolated from the last server message. */
  #shownClocks(snapshot: Snapshot): ClocksView {
    const { clocks, settings, end } = snapshot;
    const running = end || this.#sent ? null : (clocks.running ?? null);
    const passed = Math.max(0, this.#serverClock.now() - clocks.at);
    const control = settings.time_control;
    const waited = this.#turnSince === null ? Infinity : clocks.at - this.#turnSince;
    const delay = control.type === "delay" ? Math.max(0, control.delay_ms - waited) : 0;
    const face = (color: Color): ClockFace => {
      const { remaining_ms, used_ms } = clocks[color];
      const since = running === color ? passed : 0;
      const left = remaining_ms === undefined ? null : Math.max(0, remaining_ms - Math.max(0, since - delay));
      return { remaining_ms: left, used_ms: used_ms + since };
    };
    const shown = this.#sent && !end ? other(turnOf(snapshot)) : running;
    return { white: face("white"), black: face("black"), running: shown, is_up: false };
  }
}

const signed = (number: number): string => (number < 0 ? `−${-number}` : `+${number}`);
