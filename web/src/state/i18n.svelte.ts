/**
 * The messages of the page in the user's language.
 *
 * Responsible for the current language and for filling in messages. A message is a text with
 * `{name}` placeholders, or one text per plural form, chosen by `count`.
 */

import en from "../../messages/en.json";

export type MessageKey = keyof typeof en;
export type LanguageCode = "en" | "sk" | "cs" | "pl" | "fi";

type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
type Catalog = Record<string, Message>;

export const LANGUAGES: readonly { code: LanguageCode; name: string; letters: string }[] = [
  { code: "en", name: "English", letters: "PNBRQK" },
  { code: "sk", name: "slovenčina", letters: "PJSVDK" },
  { code: "cs", name: "čeština", letters: "PJSVDK" },
  { code: "pl", name: "polski", letters: "PSGWHK" },
  { code: "fi", name: "suomi", letters: "SRLTDK" },
];

const loaders: Record<LanguageCode, () => Promise<{ default: Catalog }>> = {
  en: async () => ({ default: en }),
  sk: () => import("../../messages/sk.json"),
  cs: () => import("../../messages/cs.json"),
  pl: () => import("../../messages/pl.json"),
  fi: () => import("../../messages/fi.json"),
};

class Locale {
  language = $state<LanguageCode>("en");
  catalog = $state.raw<Catalog>(en);

  /** Switches the page to another language. */
  async use(code: LanguageCode): Promise<void> {
    const { default: catalog } = await loaders[code]();
    this.catalog = catalog;
    this.language = code;
    document.documentElement.lang = code;
    document.querySelector("meta[name=description]")?.setAttribute("content", t("about.description"));
  }
}

/** The language of the page and its messages. */
export const locale = new Locale();

/** Returns the first supported language among the browser's preferences. */
export function preferredLanguage(): LanguageCode {
  for (const wanted of navigator.languages) {
    const found = LANGUAGES.find(({ code }) => code === wanted.slice(0, 2).toLowerCase());
    if (found) return found.code;
  }
  return "en";
}

/** Returns a message with its placeholders filled in. */
export function t(key: MessageKey, values: Record<string, string | number> = {}): string {
  const message = locale.catalog[key] ?? en[key];
  const text = typeof message === "string" ? message : pluralised(message, Number(values["count"] ?? 0));
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

function pluralised(forms: Exclude<Message, string>, count: number): string {
  const rule = new Intl.PluralRules(locale.language).select(count);
  return forms[rule] ?? forms.other ?? "";
}

const FIGURINES: Record<string, string> = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘" };

/** Returns a move in the piece letters of the language, or with figurines. */
export function localSan(san: string, figurines: boolean): string {
  const letters = LANGUAGES.find(({ code }) => code === locale.language)?.letters ?? "PNBRQK";
  return san.replace(/[KQRBN]/g, (letter) =>
    figurines ? (FIGURINES[letter] ?? letter) : (letters["PNBRQK".indexOf(letter)] ?? letter),
  );
}

const ROLES = { P: "Pawn", N: "Knight", B: "Bishop", R: "Rook", Q: "Queen", K: "King" } as const;

const roleOf = (letter: string) => ROLES[letter.toUpperCase() as keyof typeof ROLES] as (typeof ROLES)["P"] | undefined;

/** Returns the name of a piece by its letter, for either color. */
export function pieceName(letter: string): string {
  const role = roleOf(letter);
  return role ? t(`piece.${role.toLowerCase() as Lowercase<typeof role>}`) : letter;
}

/** Returns the name of a piece with its color: the adjective agrees with the noun in every language. */
export function coloredPieceName(letter: string): string {
  const role = roleOf(letter);
  if (!role) return letter;
  return t(letter === letter.toUpperCase() ? `piece.white${role}` : `piece.black${role}`);
}

/** Returns a move in words for screen readers: "knight f3, check". */
export function spokenSan(san: string): string {
  if (san.startsWith("O-O-O")) return t("say.castleLong") + spokenMark(san);
  if (san.startsWith("O-O")) return t("say.castleShort") + spokenMark(san);
  const body = san.replace(/[+#]/g, "");
  const [move = "", promotion] = body.split("=");
  const role = /^[KQRBN]/.test(move) ? (move[0] ?? "P") : "P";
  const rest = role === "P" ? move : move.slice(1);
  const said = `${pieceName(role)} ${rest.replace("x", ` ${t("say.takes")} `)}`;
  return said + (promotion ? `, ${pieceName(promotion)}` : "") + spokenMark(san);
}

function spokenMark(san: string): string {
  if (san.endsWith("#")) return `, ${t("say.mate")}`;
  return san.endsWith("+") ? `, ${t("say.check")}` : "";
}
