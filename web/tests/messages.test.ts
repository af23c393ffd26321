/** Every message exists in every language, is used by the page, and has the same placeholders. */

import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

type Message = string | Record<string, string>;

const read = (code: string) =>
  JSON.parse(readFileSync(`messages/${code}.json`, "utf8")) as Record<string, Message>;
const CODES = ["en", "sk", "cs", "pl", "fi"];
const english = read("en");
const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(ts|svelte)$/.test(name))
  .map((name) => readFileSync(`src/${name}`, "utf8"))
  .join("\n");

const texts = (message: Message | undefined) =>
  message === undefined ? [] : typeof message === "string" ? [message] : Object.values(message);
const places = (message: Message | undefined) =>
  [...new Set(texts(message).flatMap((text) => text.match(/\{\w+\}/g) ?? []))].sort();

/** Whether the code contains the key itself, or a template that builds keys with its prefix. */
const isUsed = (key: string) => {
  if (sources.includes(`"${key}"`)) return true;
  const beginnings = [...sources.matchAll(/`([a-zA-Z]+\.)\$\{/g)].map((found) => found[1] ?? "");
  return beginnings.some((beginning) => key.startsWith(beginning));
};

test.each(CODES)("%s has every message and no other", (code) => {
  expect(Object.keys(read(code)).sort()).toEqual(Object.keys(english).sort());
});

test.each(CODES)("%s has the same places to fill in, and the plural forms of the language", (code) => {
  const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
  for (const [key, message] of Object.entries(read(code))) {
    expect(places(message), key).toEqual(places(english[key]));
    expect(texts(message).every((text) => text.trim() === text && text.length > 0), key).toBe(true);
    if (typeof message !== "string") expect(Object.keys(message).sort(), key).toEqual([...forms].sort());
  }
});

test.each(CODES)("%s names a piece with its color as it names the piece", (code) => {
  const messages = read(code);
  for (const role of ["Pawn", "Knight", "Bishop", "Rook", "Queen", "King"]) {
    const name = messages[`piece.${role.toLowerCase()}`];
    for (const color of ["white", "black"]) {
      const [adjective, noun, ...more] = String(messages[`piece.${color}${role}`]).split(" ");
      expect([noun, more, (adjective?.length ?? 0) > 2]).toEqual([name, [], true]);
    }
  }
});

test("every message is used", () => {
  expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([]);
});

test("no page has words of its own", () => {
  const pages = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".svelte"));
  for (const name of pages) {
    const markup = readFileSync(`src/${name}`, "utf8")
      .replace(/<script[\s\S]*?<\/script>|<style>[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, "")
      .replace(/\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, "")
      .replace(/<(?:"[^"]*"|[^<>"])*>/g, "\n");
    const words = markup.split("\n").map((line) => line.trim()).filter((line) => /\p{L}{2,}/u.test(line));
    expect(words.filter((line) => !["Castellan", "FEN"].includes(line)), name).toEqual([]);
  }
});
