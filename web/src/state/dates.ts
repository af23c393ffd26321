/** Days and hours in words. */

import { words } from "./i18n.svelte";

/** The language of the page, with the conventions of the person's own country where it fits. */
const locale = () => navigator.languages.find((wanted) => wanted.startsWith(words.language)) ?? words.language;

/** A moment, in milliseconds since 1970. */
export const momentText = (at: number): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(at);

/** A day, of a moment in milliseconds since 1970. */
export const dayText = (at: number): string => new Intl.DateTimeFormat(locale(), { dateStyle: "medium" }).format(at);

/** A duration as a clock would show it: `4:07`, or `1:02:30` from an hour on. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const pad = (number: number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}
