/**
 * Everything between this page and the server outside a game: identity, the queue, and the dispatch
 * of messages.
 *
 * Responsible for the one connection and the one online game on the screen. After a reconnect it
 * repeats the user's seek, because the server drops it when the socket closes.
 */

import type { Color } from "../core/types";
import * as api from "../net/api";
import { Connection } from "../net/connection.svelte";
import type { Level, Refused, Seek, ServerMessage, Snapshot, Terms, Welcome } from "../net/protocol";
import { ServerClock } from "../net/server-clock";
import { play } from "../sound";
import { announcer } from "./announce.svelte";
import { t } from "./i18n.svelte";
import { Invitations } from "./invitations.svelte";
import { Live } from "./live.svelte";
import { route } from "./route.svelte";
import { runningGame } from "./running.svelte";
import { settings } from "./settings.svelte";
import { refusedText } from "./refusal-text";

class Online {
  /** Ids of the user's games in progress. */
  games = $state.raw<string[]>([]);
  seeking = $state.raw<Seek | null>(null);
  waiting = $state(0);
  /** Whether the server has an engine to play against. */
  hasEngine = $state(false);
  notice = $state("");
  /** The last message of the operator, until the user closes it. */
  announcement = $state("");
  readonly clock = new ServerClock();
  readonly connection = new Connection(() => settings.onlineName);
  readonly live = new Live((message) => this.connection.send(message), this.clock);
  readonly invitations = new Invitations((message) => this.connection.send(message), this.clock);

  constructor() {
    this.connection.listen((message) => this.#receive(message));
  }

  get isOpen(): boolean {
    return this.connection.state === "open";
  }

  get me(): api.Me | null {
    return this.connection.me;
  }

  // Identity.

  beGuest(name: string): Promise<boolean> {
    return this.#identify(async () => {
      settings.onlineName = name.trim();
      return api.becomeGuest(name.trim());
    });
  }

  /**
   * Connects a user without a name as a guest, to watch a game or to read an invitation. The name
   * is not remembered, so the lobby offers to change it. "Guest" with a number is reserved.
   */
  async comeAsGuest(): Promise<void> {
    const name = `${t("online.visitor")} ${1000 + Math.floor(Math.random() * 9000)}`;
    await this.#identify(() => api.becomeGuest(name));
  }

  /** Signs in or registers. Returns `null` on success, and otherwise the code of the refusal. */
  async signIn(name: string, password: string, isNew: boolean, code = ""): Promise<api.ApiProblem["code"] | null> {
    let refusal: api.ApiProblem["code"] | null = null;
    const isDone = await this.#identify(async () => {
      try {
        return await (isNew ? api.register : api.login)(name.trim(), password, code.trim());
      } catch (error) {
        if (error instanceof api.ApiProblem) refusal = error.code;
        throw error;
      }
    });
    return isDone ? null : refusal;
  }

  /** Goes on without an identity after the account is gone. */
  async signedOut(): Promise<void> {
    await this.#identify(async () => {
      settings.onlineName = "";
      return null;
    });
  }

  signOut(): Promise<boolean> {
    return this.#identify(async () => {
      await api.logout();
      settings.onlineName = "";
      return null;
    });
  }

  async #identify(change: () => Promise<api.Me | null>): Promise<boolean> {
    this.notice = "";
    try {
      this.connection.become(await change());
      return true;
    } catch (error) {
      if (!(error instanceof api.ApiProblem)) throw error;
      this.#showError(refusedText(error.code, error.message));
      return false;
    }
  }

  // Finding an opponent.

  seek(terms: Seek): void {
    this.notice = "";
    this.seeking = terms;
    this.waiting = 0;
    this.connection.send({ type: "seek", data: terms });
  }

  cancelSeek(): void {
    this.seeking = null;
    this.connection.send({ type: "cancel seek", data: {} });
  }

  invite(terms: Terms, color: Color | null): void {
    this.notice = "";
    this.invitations.create(terms, color);
  }

  acceptInvitation(): void {
    this.notice = "";
    this.invitations.accept();
  }

  playEngine(level: Level, terms: Terms, color: Color | null): void {
    this.notice = "";
    this.connection.send({ type: "play engine", data: color ? { level, terms, color } : { level, terms } });
  }

  /** Shows a game, played or watched. */
  show(game: string): void {
    route.go("live", `?game=${encodeURIComponent(game)}`);
  }

  // Messages from the server. Those of a newer server, which the types do not have, are ignored.

  #receive(message: ServerMessage): void {
    switch (message.type) {
      case "welcome":
        return this.#welcomed(message.data);
      case "queued":
        this.waiting = message.data.waiting;
        return;
      case "seek ended":
        this.seeking = null;
        return;
      case "invitation":
        return this.invitations.received(message.data);
      case "invitation gone":
        return this.invitations.gone(message.data.invitation);
      case "game":
        this.#gameReceived(message.data);
        return this.#keepGlimpse();
      case "event":
        this.clock.observe(message.data.at);
        this.live.applyEvent(message.data);
        this.#keepGlimpse();
        if (message.data.event.type === "ended") this.#forget(message.data.game);
        return;
      case "presence":
        if (message.data.game === this.live.id) this.live.updatePresence(message.data.presence);
        return;
      case "chat line":
        return this.live.addChatLine(message.data);
      case "chat history":
        return this.live.setChatHistory(message.data);
      case "ratings":
        this.live.rated(message.data);
        return void this.connection.readAgain();
      case "refused":
        return this.#refused(message.data);
      case "error":
        return this.#showError(refusedText(message.data.code, message.data.message));
      case "announcement":
        this.announcement = message.data.text;
        return announcer.say(`${t("online.announcement")} ${message.data.text}`);
      case "pong":
        return this.clock.observe(message.data.at);
      case "shutting down":
        // The connection shows it.
        return;
      default:
        message satisfies never;
    }
  }

  #welcomed(welcome: Welcome): void {
    this.clock.observe(welcome.at);
    this.hasEngine = welcome.features?.includes("engine") ?? false;
    this.#play(welcome.games);
    this.live.catchUp();
    if (this.seeking) this.connection.send({ type: "seek", data: this.seeking });
    if (this.me) this.invitations.begin(this.me.player);
  }

  #gameReceived(snapshot: Snapshot): void {
    const { game } = snapshot;
    const isOurs = snapshot.you !== undefined && !snapshot.end;
    const isNew = isOurs && !this.games.includes(game);
    if (isNew) {
      this.#play([...this.games, game]);
      this.invitations.gameBegan();
      announcer.say(t("online.begins"));
    }
    // A player is not moved away from a game in progress.
    const isBusy = this.live.isPlayer && this.live.view?.is_running === true && route.place === "live";
    if (game === this.live.id) {
      this.live.applySnapshot(snapshot);
    } else if (isNew && !isBusy) {
      this.invitations.close();
      play("check");
      this.live.leave();
      this.live.id = game;
      this.live.applySnapshot(snapshot);
      this.show(game);
    }
  }

  #forget(game: string): void {
    this.#play(this.games.filter((it) => it !== game));
  }

  /** Sets the games in progress. The home page offers to continue the last one. */
  #play(games: string[]): void {
    this.games = games;
    runningGame.set(games.at(-1) ?? null);
  }

  /** Keeps the position of the user's game for the home page. */
  #keepGlimpse(): void {
    const { id, view, color } = this.live;
    if (!id || !view || !this.games.includes(id)) return;
    const { board } = view.plies.at(-1) ?? view.start;
    runningGame.see(id, { board, orientation: color ?? "white", names: `${view.white} – ${view.black}` });
  }

  #refused(refused: Refused): void {
    if (refused.game !== undefined) {
      if (refused.game === this.live.id) this.live.refused(refused);
      return;
    }
    if (refused.of === "seek") this.seeking = null;
    if (this.invitations.refused(refused)) return;
    this.#showError(refusedText(refused.code));
  }

  #showError(text: string): void {
    this.notice = text;
    announcer.say(text);
    play("refuse");
  }
}

export const online = new Online();
