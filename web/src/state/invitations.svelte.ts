/**
 * Invitations by link: the one that the user created, and the one that they opened from a link.
 *
 * Responsible for both, and for storing the created one in this browser so that it survives a
 * reload. The server keeps an invitation for a day, whether or not its creator is connected, so its
 * state is requested after every reconnect and whenever a game starts. Invariant: at most one
 * invitation is requested at a time, because a refusal does not say which one it is about.
 */

import type { Color } from "../core/types";
import type { ClientMessage, Invitation, Refused, Terms } from "../net/protocol";
import type { ServerClock } from "../net/server-clock";
import { readStored, store } from "./settings.svelte";

const KEY = "castellan.invitation";

/** The stored invitation, with the id of its creator: other players cannot cancel it. */
interface Kept {
  player: number;
  invitation: string;
}

export class Invitations {
  /** The invitation that the user created. */
  own = $state.raw<Invitation | null>(null);
  /** The invitation that the user opened from a link. */
  opened = $state.raw<Invitation | null>(null);
  isOpenedGone = $state(false);
  #player: number | null = null;
  #ownId: string | null = null;
  #openedId: string | null = null;
  /** Ids to ask the server about; the request for the first one has been sent. */
  #questions: string[] = [];
  #expiry: ReturnType<typeof setTimeout> | undefined;
  readonly #send: (message: ClientMessage) => boolean;
  readonly #clock: ServerClock;

  constructor(send: (message: ClientMessage) => boolean, clock: ServerClock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** Called when the server has accepted the connection and identified the user. */
  begin(player: number): void {
    const kept = readStored<Partial<Kept>>(KEY);
    const isOurs = kept?.player === player && typeof kept.invitation === "string";
    this.#player = player;
    this.#ownId = isOurs ? (kept.invitation ?? null) : null;
    if (this.own?.invitation !== this.#ownId) this.own = null;
    this.#questions = [];
    this.#ask(this.#ownId);
    this.#ask(this.#openedId);
  }

  /** Called when a game starts; it may be the one that the user's invitation was for. */
  gameBegan(): void {
    this.#ask(this.#ownId);
  }

  /** Forgets the link's invitation once a game is opened: there is nothing left to accept. */
  close(): void {
    this.#openedId = null;
  }

  create(terms: Terms, color: Color | null): void {
    this.#send({ type: "create invitation", data: color ? { terms, color } : { terms } });
  }

  cancel(): void {
    const invitation = this.#ownId;
    this.#forgetOwn();
    if (invitation) this.#send({ type: "cancel invitation", data: { invitation } });
  }

  /** Opens the invitation of a link. */
  open(id: string | null): void {
    if (this.#openedId === id) return;
    this.#openedId = id;
    this.opened = null;
    this.isOpenedGone = false;
    this.#ask(id);
  }

  accept(): void {
    if (this.#openedId) this.#send({ type: "accept invitation", data: { invitation: this.#openedId } });
  }

  // Messages from the server.

  received(invitation: Invitation): void {
    const id = invitation.invitation;
    if (this.#questions[0] !== id) {
      this.#keep(invitation);
      return;
    }
    this.#answered();
    if (id === this.#ownId) this.#keep(invitation);
    if (id !== this.#openedId) return;
    this.opened = invitation;
    this.isOpenedGone = false;
  }

  gone(id: string): void {
    if (id === this.#ownId) this.#forgetOwn();
    if (id !== this.#openedId) return;
    this.opened = null;
    this.isOpenedGone = true;
  }

  /** Handles a refusal. Returns `true` if the page already shows the reason. */
  refused({ of, code }: Refused): boolean {
    const isGone = code === "unknown_invitation";
    switch (of) {
      case "show invitation": {
        const id = this.#questions[0];
        this.#answered();
        if (isGone && id !== undefined) this.gone(id);
        return isGone;
      }
      case "accept invitation":
        if (isGone && this.#openedId) this.gone(this.#openedId);
        return isGone;
      case "cancel invitation":
        return isGone;
      default:
        return false;
    }
  }

  #ask(id: string | null): void {
    if (id === null || this.#questions.includes(id)) return;
    this.#questions.push(id);
    if (this.#questions.length === 1) this.#askNext();
  }

  #answered(): void {
    this.#questions.shift();
    this.#askNext();
  }

  /**
   * Requests the next invitation. If the connection is down, drops all requests; `begin` repeats
   * them.
   */
  #askNext(): void {
    const invitation = this.#questions[0];
    if (invitation === undefined) return;
    if (!this.#send({ type: "show invitation", data: { invitation } })) this.#questions = [];
  }

  #keep(invitation: Invitation): void {
    this.own = invitation;
    this.#ownId = invitation.invitation;
    store(KEY, { player: this.#player, invitation: invitation.invitation });
    clearTimeout(this.#expiry);
    const left = Math.max(0, invitation.until - this.#clock.now());
    this.#expiry = setTimeout(() => this.gone(invitation.invitation), left);
  }

  #forgetOwn(): void {
    clearTimeout(this.#expiry);
    this.own = null;
    this.#ownId = null;
    store(KEY, null);
  }
}
