/**
 * Invitations by link: the one that we have made, and the one that a link has brought.
 *
 * Owns both, and what is kept of the own one in this browser, so that it is here again after a
 * reload. The server keeps an invitation for a day, whether or not whoever made it is there, so it
 * is asked after every break and after every game that begins. Invariant: at most one invitation is
 * asked for at a time, because a refusal does not say which one it is about.
 */

import type { Color } from "../core/types";
import type { ClientMessage, Invitation, Refused, Terms } from "../net/protocol";
import type { ServerClock } from "../net/server-clock";
import { readStored, store } from "./settings.svelte";

const KEY = "castellan.invitation";

/** What is kept of the own invitation, and whose it is: others cannot withdraw it. */
interface Kept {
  player: number;
  invitation: string;
}

export class Invitations {
  /** The invitation that we have made. */
  own = $state.raw<Invitation | null>(null);
  /** The invitation that a link has brought. */
  opened = $state.raw<Invitation | null>(null);
  isOpenedGone = $state(false);
  #player: number | null = null;
  #ownId: string | null = null;
  #openedId: string | null = null;
  /** What is asked for; the first has been sent. */
  #questions: string[] = [];
  #expiry: ReturnType<typeof setTimeout> | undefined;
  readonly #send: (message: ClientMessage) => boolean;
  readonly #clock: ServerClock;

  constructor(send: (message: ClientMessage) => boolean, clock: ServerClock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** The server is there, and knows us as this player. */
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

  /** A game has begun; it may be the one to which we have invited. */
  gameBegan(): void {
    this.#ask(this.#ownId);
  }

  /** Somebody sits at the game of the link: there is nothing to accept any more. */
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

  /** Looks at the invitation of a link. */
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

  // What the server says.

  told(invitation: Invitation): void {
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

  /** Something was refused; whether what is shown says so already. */
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

  /** Without a connection nothing is asked; everything is asked when it is back. */
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
