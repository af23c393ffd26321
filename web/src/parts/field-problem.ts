/**
 * Finds the first field of a form that is not filled in as it has to be, and explains it.
 *
 * The browser would do that as well, but in its own language, so these forms have `novalidate`.
 */

import { locale, t } from "../state/i18n.svelte";

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Moves the focus to the first wrong field and returns the message for it; `""` if there is none. */
export function fieldProblem({ currentTarget }: SubmitEvent): string {
  if (!(currentTarget instanceof HTMLFormElement)) return "";
  for (const field of currentTarget.querySelectorAll<Field>("input, textarea")) {
    const problem = problemOf(field);
    if (!problem) continue;
    field.focus();
    return problem;
  }
  return "";
}

function problemOf(field: Field): string {
  const { validity, labels, title, type, value } = field;
  const name = labels?.[0]?.textContent?.trim() ?? "";
  // A password may consist of spaces.
  const isBlank = (type === "password" ? value : value.trim()) === "";
  if (field.required && isBlank && !validity.badInput) return t("form.empty", { field: name });
  if (validity.patternMismatch) return title;
  if (field instanceof HTMLInputElement && type === "number" && !validity.valid) {
    const number = new Intl.NumberFormat(locale.language);
    return t("form.range", { field: name, min: number.format(Number(field.min)), max: number.format(Number(field.max)) });
  }
  return "";
}
