/**
 * The online game on the screen, played or watched.
 *
 * Owns what the server has told of it, the own move that is shown before it is acknowledged, and
 * the clocks between two messages. The server decides everything: what it refuses is taken back
 * here, with words. A move that nobody has acknowledged is sent again after every break.
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

/** How many lines of talk are kept. */
const TALK_LINES = 200;
const TICK_MS = 100;
const MUTED_KEY = "castellan.muted";
/** How many people one browser does not hear; the server has the same bound. */
const MOST_MUTED = 50;

type Send = (message: ClientMessage) => boolean;

const DECLINED: Record<Proposal, MessageKey> = {
  draw: "online.drawDeclined",
  takeback: "online.takebackDeclined",
  rematch: "online.rematchDeclined",
};

/** What this browser has kept; what is damaged is nothing. */
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
  /** The game that is wanted, told of or not. */
  id = $state<string | null>(null);
  snapshot = $state.raw<Snapshot | null>(null);
  talk = $state.raw<ChatLine[]>([]);
  /** Whom the person does not want to hear, in this browser. */
  muted = $state.raw<string[]>(keptMuted());
  ratings = $state.raw<Ratings | null>(null);
  /** Whether the server knows no such game. */
  isUnknown = $state(false);
  /** What is left until the absent player has left for good, in seconds. */
  leavesIn = $state<number | null>(null);
  /** Whether a move or a request has not been acknowledged yet. */
  isUnheard = $state(false);
  #sent: { ply: number; uci: string } | null = null;
  /** Whether something was missed and is being asked for. */
  #isBehind = false;
  /** Since when the player to move thinks, by the server's clock, where that is known. */
  #turnSince: number | null = null;
  readonly #serverClock: ServerClock;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #send: Send;

  constructor(send: Send, serverClock: ServerClock) {
    super();
    this.#send = send;
    this.#serverClock = serverClock;
  }

  /** The color that is played here; watchers have none. */
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
    // The number is part of the engine's name.
    const rank = isEngine ? levelWord(level === "full" ? FULL : level) : rated;
    return { rank, state: snapshot && !snapshot.end && !isEngine && !snapshot.presence[color] ? t("online.away") : "" };
  }

  /** Whether an engine plays. */
  get isWithEngine(): boolean {
    return this.snapshot?.level !== undefined;
  }

  /** The offer of the opponent that waits for an answer. */
  asked(what: Proposal): boolean {
    return this.snapshot?.offers.some((offer) => offer.what === what && offer.by !== this.color) ?? false;
  }

  /** The own offer that waits for an answer. */
  offered(what: Proposal): boolean {
    return this.snapshot?.offers.some((offer) => offer.what === what && offer.by === this.color) ?? false;
  }

  /** Turns to a game; it is told of as soon as the server answers. */
  visit(id: string): void {
    if (this.id === id) return;
    this.leave();
    this.id = id;
    this.#send({ type: "watch", data: { game: id } });
  }

  /** Turns away from the game; a seat is kept. */
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

  /** After a break: asks for what was missed. */
  catchUp(): void {
    if (!this.id) return;
    this.#isBehind = true;
    if (this.snapshot) this.#send({ type: "resync", data: { game: this.id, version: this.snapshot.version } });
    else this.#send({ type: "watch", data: { game: this.id } });
  }

  /** The whole game. */
  take(snapshot: Snapshot): void {
    const isNew = this.snapshot === null;
    this.isUnknown = false;
    this.#turnSince = null;
    if (isNew) this.orientation = snapshot.you === "black" ? "black" : "white";
    this.#become(snapshot);
    this.#caughtUp();
  }

  /** Everything that was missed is there: a move that nobody has heard of is said again. */
  #caughtUp(): void {
    if (this.#isBehind) this.#sendAgain();
    this.#isBehind = false;
  }

  /** Something has happened; what does not fit is asked for. */
  happen(event: GameEvent): void {
    const before = this.snapshot;
    if (!before || event.game !== before.game) return;
    if (event.version <= before.version) {
      // Everything was known: only the clocks are newer.
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
    // Of several events that are sent again, the last one has clocks.
    if (event.clocks) this.#caughtUp();
  }

  /** Says what the board does not show. */
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

  /** Shows what the server has told, with the own move that it has not acknowledged yet. */
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

  /** A repeat of what was played changes nothing, so it is safe to say it again. */
  #sendAgain(): void {
    const [sent, game] = [this.#sent, this.id];
    if (sent && game) this.#send({ type: "make move", data: { game, ply: sent.ply, mv: sent.uci } });
  }

  override touch(square: string): void {
    const snapshot = this.snapshot;
    if (!snapshot?.settings.is_touch_move) return;
    this.#send({ type: "touch", data: { game: snapshot.game, ply: movesOf(snapshot).length, square } });
  }

  /** Offers, answers, resignation and the like. */
  act(type: "resign" | "abort" | "add time"): void {
    if (this.id) this.#say({ type, data: { game: this.id } });
  }

  propose(type: "offer" | "accept" | "decline", what: Proposal): void {
    if (this.id) this.#say({ type, data: { game: this.id, what } });
  }

  /** Claims a draw as it stands, or by a move that is announced and not played. */
  claim(announced?: string): void {
    const snapshot = this.snapshot;
    const move = announced === undefined ? {} : { announced };
    if (snapshot) this.#say({ type: "claim", data: { game: snapshot.game, ply: movesOf(snapshot).length, ...move } });
  }

  chat(text: string): boolean {
    return this.id !== null && this.#send({ type: "chat", data: { game: this.id, text } });
  }

  /** The server forgets whom one does not hear when it stops; this browser does not. */
  mute(name: string, isMuted: boolean): void {
    this.#send({ type: "mute", data: { name, is_muted: isMuted } });
    const others = this.muted.filter((it) => it !== name);
    this.muted = isMuted ? [...others, name].slice(-MOST_MUTED) : others;
    store(MUTED_KEY, this.muted);
    // What the server has kept from us comes with what was missed.
    if (!isMuted) this.catchUp();
  }

  /** What was said by those whom the person wants to hear. */
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

  /** What was said before, in place of what is known: nothing of it is said aloud again. */
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

  /** Something was not followed: an own move goes back, and the words say why. */
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

  /** How long the game has lasted, or did last. */
  #duration({ started_at, ended_at }: Snapshot): number {
    return started_at === undefined ? 0 : Math.max(0, (ended_at ?? this.#serverClock.now()) - started_at);
  }

  /** What the clocks show now, counted on from what the server said last. */
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
