/**
 * Keeps a snapshot of a server game up to date, event by event.
 *
 * Knows what each event changes in the snapshot, and nothing about chess. Pure functions: they take
 * the old snapshot and return the new one.
 */

import type { Color, GameEvent, Proposal, Snapshot } from "./protocol";

const other = (color: Color): Color => (color === "white" ? "black" : "white");

/** First player id of engines; people never get ids in this range. */
const FIRST_ENGINE = 2 ** 52;

export const isEngineId = (player: number): boolean => player >= FIRST_ENGINE;

export const movesOf = (snapshot: Snapshot): string[] => snapshot.moves.split(" ").filter(Boolean);

/** Returns the side to move. */
export function turnOf(snapshot: Snapshot): Color {
  const first: Color = snapshot.settings.start.split(" ")[1] === "b" ? "black" : "white";
  return movesOf(snapshot).length % 2 === 0 ? first : other(first);
}

const without = (snapshot: Snapshot, what: Proposal, by?: Color) =>
  snapshot.offers.filter((offer) => offer.what !== what || (by !== undefined && offer.by !== by));

/** Applies the next event to a snapshot. Returns `null` if the event is not the next one. */
export function apply(snapshot: Snapshot, message: GameEvent): Snapshot | null {
  if (message.game !== snapshot.game || message.version !== snapshot.version + 1) return null;
  const changed = { ...snapshot, ...changes(snapshot, message), version: message.version };
  return message.clocks ? { ...changed, clocks: message.clocks } : changed;
}

function changes(snapshot: Snapshot, { event, at }: GameEvent): Partial<Snapshot> {
  switch (event.type) {
    case "seated":
      return { [event.color]: event.player };
    case "started":
      return { started_at: at };
    case "moved":
      return moved(snapshot, event.mv);
    case "touched":
      return { touched: [...snapshot.touched, event.square] };
    case "offered":
      return { offers: [...without(snapshot, event.what), { by: event.by, what: event.what }] };
    case "declined":
      return { offers: without(snapshot, event.what) };
    case "taken_back":
      return { moves: movesOf(snapshot).slice(0, event.ply).join(" "), touched: [], offers: [] };
    case "ended": {
      const end = event.winner ? { reason: event.reason, winner: event.winner } : { reason: event.reason };
      return { end, ended_at: at, offers: [], touched: [] };
    }
    case "rematch_agreed":
      return { offers: [] };
    default:
      return {};
  }
}

/** Applies a move. Moving declines the opponent's draw offer and cancels takeback requests. */
function moved(snapshot: Snapshot, mv: string): Partial<Snapshot> {
  const opponent = other(turnOf(snapshot));
  const kept = snapshot.offers.filter(
    ({ what, by }) => what !== "takeback" && !(what === "draw" && by === opponent),
  );
  return { moves: [...movesOf(snapshot), mv].join(" "), touched: [], offers: kept };
}
