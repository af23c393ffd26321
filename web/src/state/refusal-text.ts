/** Messages for requests that the server refused. */

import type { ErrorCode } from "../core/types";
import type { Code } from "../net/protocol";
import { refusalText } from "./ending";
import { t, type MessageKey } from "./i18n.svelte";

/** A refusal of the server, of a game or of a module; `unreachable` if no server answered. */
type AnyCode = Code | ErrorCode | "unreachable";

const MESSAGES: Partial<Record<AnyCode, MessageKey>> = {
  not_your_turn: "field.wait",
  stale: "online.refused.stale",
  ahead: "online.refused.stale",
  needs_name: "online.refused.badName",
  bad_name: "online.refused.badName",
  name_taken: "online.refused.nameTaken",
  needs_account: "online.refused.needsAccount",
  bad_password: "online.refused.badPassword",
  wrong_credentials: "online.refused.wrongCredentials",
  banned: "online.refused.banned",
  registration_closed: "online.refused.registrationClosed",
  bad_code: "online.refused.badCode",
  needs_code: "online.refused.needsCode",
  bad_email: "online.refused.badEmail",
  unknown_game: "online.refused.noGame",
  damaged_game: "online.refused.damagedGame",
  unknown_player: "online.refused.noPlayer",
  unknown_invitation: "online.refused.noInvitation",
  own_invitation: "online.refused.ownInvitation",
  bad_terms: "online.refused.badTerms",
  rate_limited: "online.refused.tooFast",
  too_many: "online.refused.tooFast",
  busy: "online.refused.busy",
  store_unavailable: "online.refused.busy",
  not_stored: "online.refused.notStored",
  shutting_down: "online.refused.stopping",
  unreachable: "online.refused.unreachable",
  gifts_spent: "online.refused.giftsSpent",
  takeback_off: "online.refused.takebackOff",
};

/**
 * Returns the message for a refusal code of the server or of the game. A ban comes with the message of
 * the server, which says why and until when.
 */
export function refusedText(code: AnyCode, message = ""): string {
  const key = MESSAGES[code];
  const text = key ? t(key) : refusalText(code);
  return code === "banned" && message ? `${text} (${message})` : text;
}
