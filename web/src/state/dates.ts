/** Days and hours in words. */

import { words } from "./i18n.svelte";

/** The language of the page, with the conventions of the person's own country where it fits. */
const locale = () => navigator.languages.find((wanted) => wanted.startsWith(words.language)) ?? words.language;

/** A moment, in milliseconds since 1970. */
export const momentText = (at: number): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(at);
