/**
 * Screenshots of every page and important state, in five sizes and both themes, to look at:
 * `npm run shots`. They are in `shots/`, with one contact sheet for each theme and language.
 *
 * Environment variables choose some of them: `PLACES=game,end WIDTHS=390 THEMES=dark`. With
 * `LANGUAGES=sk,fi` they are taken in these languages, and with `WHOLE=1` also of what is below the
 * lower edge of the screen.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, test } from "vitest";
import type { Page } from "playwright-core";
import { settled, visit } from "./browser";
import { gather } from "./club";
import { browser, close, open, server } from "./seats";
import { SHOTS } from "./shot-places";

const FOLDER = "shots";
const DEVICES = [
  { hasTouch: true, sizes: [[390, 844], [844, 390], [820, 1180]] },
  { hasTouch: false, sizes: [[1440, 900], [2560, 1440]] },
] as const;
/** A page that does not get ready is reported and left as it is. */
const TIMEOUT_MS = 30_000;
const chosen = (name: string) => process.env[name]?.split(",");
const WIDTHS = chosen("WIDTHS")?.map(Number);
const THEMES = (chosen("THEMES") ?? ["light", "dark"]) as ("light" | "dark")[];

const LANGUAGES = chosen("LANGUAGES") ?? ["en"];
const isWhole = process.env["WHOLE"] !== undefined;
const fileOf = (name: string, width: number, theme: string, language: string) =>
  `${FOLDER}/${[name, width, theme, ...(language === "en" ? [] : [language])].join("-")}.png`;

const places = Object.entries(SHOTS).filter(([name]) => chosen("PLACES")?.includes(name) ?? true);
const hasLive = chosen("PLACES")?.includes("live") ?? true;
const sizesOf = (device: (typeof DEVICES)[number]) => device.sizes.filter(([width]) => WIDTHS?.includes(width) ?? true);
/** Pages for which there have to be people on the server. */
const ONLINE = ["online", "waiting", "watching", "server", "profile", "account", "admin", "live"];

beforeAll(open);
afterAll(close);

/** Switches the page to a language as a user does, even if the menu is closed or behind a dialog. */
async function speak(page: Page, language: string): Promise<void> {
  await page.locator(".language select").evaluate((it: HTMLSelectElement, code) => {
    it.value = code;
    it.dispatchEvent(new Event("change", { bubbles: true }));
  }, language);
  await page.locator(`html[lang=${language}]`).waitFor({ state: "attached" });
}

/** Takes the pictures of a page in all sizes of a device, in all languages and both themes. */
async function take(page: Page, name: string, sizes: readonly (readonly [number, number])[]): Promise<void> {
  for (const language of LANGUAGES) {
    await speak(page, language);
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      // A higher screen shows more than a picture of the whole page, in which bars cover the text.
      if (isWhole) await page.setViewportSize({ width, height: await page.evaluate(() => document.documentElement.scrollHeight) });
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(() => scrollTo(0, 0));
        await settled(page);
        await page.screenshot({ path: fileOf(name, width, colorScheme, language) });
      }
    }
  }
}

test("pictures of every page", { timeout: 1_800_000 }, async () => {
  mkdirSync(FOLDER, { recursive: true });
  const isOnline = chosen("PLACES")?.some((name) => ONLINE.includes(name)) ?? true;
  /** The page of a player whose game goes on. */
  const player = isOnline ? await gather() : null;
  if (isOnline) server.admin("make-admin", "Oskar");
  for (const [at, device] of DEVICES.entries()) {
    const sizes = sizesOf(device);
    if (sizes.length === 0) continue;
    for (const [name, { path, settings, prepare }] of places) {
      const seat = `Anna${at + 1}`;
      const all = { names: { white: "Anna", black: "Boris" }, onlineName: name === "account" ? `Zuzana${at + 1}` : seat, ...settings };
      const [width, height] = sizes[0] ?? [1440, 900];
      const { page, errors } = await visit(browser, path, { hasTouch: device.hasTouch, isMobile: device.hasTouch, viewport: { width, height }, address: server.address, settings: all });
      page.setDefaultTimeout(TIMEOUT_MS);
      await page.locator("h1").first().waitFor({ state: "attached" });
      await prepare?.(page, seat).catch((error: unknown) => console.log(name, String(error)));
      await page.waitForLoadState("networkidle").catch((error: unknown) => console.log(name, String(error)));
      await take(page, name, sizes);
      if (errors.length) console.log(name, errors);
      await page.context().close();
    }
    if (player && hasLive) await take(player, "live", sizes);
  }
});

/** Width of a picture on the contact sheet, in pixels for each pixel of the page. */
const SCALE = 0.3;

test("one contact sheet for each theme and language", async () => {
  const sizes = DEVICES.flatMap(sizesOf);
  const names = [...places.map(([name]) => name), ...(hasLive ? ["live"] : [])];
  const sheets = THEMES.flatMap((theme) => LANGUAGES.map((language) => ({ theme, language })));
  for (const { theme, language } of sheets) {
    const picture = (name: string, [width]: readonly [number, number]) => {
      const data = readFileSync(fileOf(name, width, theme, language)).toString("base64");
      return `<img width="${width * SCALE}" src="data:image/png;base64,${data}">`;
    };
    const rows = names.map((name) => `<h2>${name}</h2><div>${sizes.map((size) => picture(name, size)).join("")}</div>`);
    const page = await browser.newPage({ viewport: { width: 1900, height: 1000 } });
    await page.setContent(`<style>body{margin:12px;background:#777;font:14px sans-serif}h2{margin:12px 0 4px}div{display:flex;gap:8px;align-items:flex-start}</style>${rows.join("")}`);
    writeFileSync(`${FOLDER}/sheet-${theme}${language === "en" ? "" : `-${language}`}.png`, await page.screenshot({ fullPage: true }));
    await page.close();
  }
});
