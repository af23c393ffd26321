/** Formats dates, times and durations. */

import { locale } from "./i18n.svelte";

/** Returns the page's language, with the user's regional conventions if they match it. */
const formatLocale = () => navigator.languages.find((wanted) => wanted.startsWith(locale.language)) ?? locale.language;

/** Formats a date and time, from Unix milliseconds. */
export const momentText = (at: number): string =>
  new Intl.DateTimeFormat(formatLocale(), { dateStyle: "medium", timeStyle: "short" }).format(at);

/** Formats a date, from Unix milliseconds. */
export const dayText = (at: number): string => new Intl.DateTimeFormat(formatLocale(), { dateStyle: "medium" }).format(at);

/** Formats a date of a PGN, whose month or day may be unknown (0). */
export function dateText(year: number, month: number, day: number): string {
  if (year === 0) return "";
  if (month === 0) return String(year);
  // Without a day the name of the month is whole: in Finnish the short one of June also means summer.
  const form: Intl.DateTimeFormatOptions = day === 0 ? { month: "long", year: "numeric" } : { dateStyle: "medium" };
  return formatOf(formatLocale(), form).format(Date.UTC(year, month - 1, day || 1));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a format for dates without a time; making one takes long, and lists have many rows. */
function formatOf(formatLocale: string, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${formatLocale} ${form.dateStyle ?? ""}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(formatLocale, { ...form, timeZone: "UTC" });
  formats.set(key, known);
  return known;
}

/** Formats a duration as on a clock: `4:07`, or `1:02:30` from one hour on. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const pad = (number: number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}
