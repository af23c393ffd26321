/**
 * Finds the first required field of a form that is empty, and explains what to fill in.
 *
 * The browser would do that as well, but in its own language, so these forms have `novalidate`.
 */

import { t } from "../state/i18n.svelte";

/** Moves the focus to the first empty field and returns the message for it; `""` if there is none. */
export function emptyFieldText({ currentTarget }: SubmitEvent): string {
  if (!(currentTarget instanceof HTMLFormElement)) return "";
  const fields = [...currentTarget.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("[required]")];
  // A password may consist of spaces.
  const empty = fields.find(({ value, type }) => (type === "password" ? value : value.trim()) === "");
  if (!empty) return "";
  empty.focus();
  return t("form.empty", { field: empty.labels?.[0]?.textContent?.trim() ?? "" });
}
