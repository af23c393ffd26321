/**
 * Screenshots of every page and important state, in five sizes and both themes, to look at:
 * `npm run shots`. They are in `shots/`, with one contact sheet for each theme.
 *
 * Environment variables choose some of them: `PLACES=game,end WIDTHS=390 THEMES=dark`.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, test } from "vitest";
import type { Page } from "playwright-core";
import { settled, visit } from "./browser";
import { gather, PASSWORD } from "./club";
import { browser, button, close, open, register, server } from "./seats";

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

const BAD = encodeURIComponent("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNP b KQkq e3 0 1");
const MOVES = ["e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a5", "d2d4", "g8f6", "g1f3", "c8g4", "h2h3", "g4f3", "d1f3", "c7c6", "c1d2"];
const MATE = ["f2f3", "e7e5", "g2g4", "d8h4"];
const sample = readFileSync("e2e/sample.pgn", "utf8").trim();
const BROKEN = '[White "Field, Ana"]\n[Black "Hill, Tom"]\n[Date "1999.01.02"]\n\n1. e4 e5 2. Ke3 *';
/** More than a hundred games, one of them broken. */
const GAMES = Array.from({ length: 120 }, (_, at) => (at === 1 ? BROKEN : sample)).join("\n\n");
const STUDY = '[White "Anna"]\n[Black "Boris"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 1-0\n';

/** Starts a game for two and enters moves by clicks, which work on every device. */
async function enter(page: Page, moves: readonly string[]): Promise<void> {
  await button(page, "Start game").click();
  await page.getByRole("grid").waitFor();
  for (const [at, move] of moves.entries()) {
    for (const name of [move.slice(0, 2), move.slice(2)]) await page.locator(`[data-square=${name}]`).click();
    await page.locator("[data-ply]").nth(at).waitFor({ state: "attached" });
  }
}

async function loadGames(page: Page): Promise<void> {
  await page.locator("input[type=file]").setInputFiles({ name: "club-games.pgn", mimeType: "text/plain", buffer: Buffer.from(GAMES) });
  await page.getByRole("grid").waitFor();
}

/** Signs in as a moderator of the server. */
async function moderator(page: Page): Promise<void> {
  await button(page, "Sign in").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your name").fill("Oskar");
  await dialog.getByLabel("Password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await button(page, "Account").waitFor();
}

interface Shot {
  path: string;
  settings?: object;
  prepare?: (page: Page, seat: string) => Promise<unknown>;
}

const SHOTS: Record<string, Shot> = {
  home: { path: "/" },
  again: {
    path: "/two",
    prepare: async (page) => {
      await enter(page, MATE);
      await page.goto(new URL("/two", page.url()).href);
      await enter(page, MOVES);
      await page.goto(new URL("/", page.url()).href);
    },
  },
  two: { path: "/two" },
  computer: { path: "/computer" },
  game: {
    path: "/two",
    prepare: async (page) => {
      await enter(page, MOVES);
      await page.locator("[data-square=e8]").click();
    },
  },
  against: {
    path: "/computer",
    settings: { level: 1500 },
    prepare: async (page) => {
      await button(page, "Start game").click();
      for (const name of ["e2", "e4"]) await page.locator(`[data-square=${name}]`).click();
      await page.locator("[data-ply='2']").waitFor();
    },
  },
  end: { path: "/two", prepare: (page) => enter(page, MATE) },
  archive: {
    path: "/two",
    prepare: async (page) => {
      await enter(page, MATE);
      await page.goto(new URL("/archive", page.url()).href);
    },
  },
  editor: { path: `/editor?fen=${BAD}` },
  doctor: { path: `/doctor?fen=${BAD}` },
  analysis: {
    path: "/analysis",
    prepare: async (page) => {
      for (const name of ["e2", "e4", "c7", "c5", "g1", "f3"]) await page.locator(`[data-square=${name}]`).click();
      await page.locator(".lines .line, .line").first().waitFor();
    },
  },
  review: {
    path: "/review",
    prepare: async (page) => {
      await page.locator("#review-pgn").fill(STUDY);
      await button(page, "Load").click();
      const next = page.getByRole("button", { name: /Next mistake|No mistakes found/ });
      await next.waitFor({ timeout: 300_000 });
      if (await next.isEnabled()) await next.click();
    },
  },
  puzzles: { path: "/puzzles" },
  puzzle: {
    path: "/puzzles",
    prepare: async (page) => {
      await button(page, "From three famous games").click();
      await page.locator("[data-state=asking]").waitFor();
    },
  },
  library: { path: "/library" },
  games: { path: "/library", prepare: (page) => loadGames(page) },
  explorer: {
    path: "/library",
    prepare: async (page) => {
      await loadGames(page);
      await button(page, "Explorer").click();
      await page.locator("[data-uci=e2e4]").click();
      await page.locator("[data-uci=e7e5]").waitFor();
    },
  },
  online: { path: "/online", prepare: (page) => page.locator(".here").first().waitFor() },
  waiting: { path: "/online", prepare: (page) => button(page, "1 + 0").click() },
  watching: {
    path: "/server",
    prepare: async (page) => {
      await page.getByRole("button", { name: /Watch (Vera – Tomas|Tomas – Vera)/ }).click();
      await page.getByRole("grid").waitFor();
    },
  },
  server: { path: "/server", prepare: (page) => page.getByRole("table", { name: "All games" }).waitFor() },
  profile: {
    path: "/server",
    prepare: async (page) => {
      await page.getByLabel("Filter by name").fill("Magda");
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Magda's results" }).waitFor();
    },
  },
  account: {
    path: "/online",
    prepare: async (page) => {
      await register(page);
      await button(page, "Account").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  admin: {
    path: "/online",
    prepare: async (page) => {
      await moderator(page);
      await page.goto(new URL("/admin", page.url()).href);
      await page.getByRole("heading", { name: "Moderation" }).waitFor();
    },
  },
  settings: { path: "/settings" },
  about: { path: "/about" },
};

const places = Object.entries(SHOTS).filter(([name]) => chosen("PLACES")?.includes(name) ?? true);
const hasLive = chosen("PLACES")?.includes("live") ?? true;
const sizesOf = (device: (typeof DEVICES)[number]) => device.sizes.filter(([width]) => WIDTHS?.includes(width) ?? true);
/** Pages for which there have to be people on the server. */
const ONLINE = ["online", "waiting", "watching", "server", "profile", "account", "admin", "live"];

beforeAll(open);
afterAll(close);

/** Takes the pictures of a page in all sizes of a device, in both themes. */
async function take(page: Page, name: string, sizes: readonly (readonly [number, number])[]): Promise<void> {
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => scrollTo(0, 0));
      await settled(page);
      await page.screenshot({ path: `${FOLDER}/${name}-${width}-${colorScheme}.png` });
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
      await page.waitForLoadState("networkidle");
      await take(page, name, sizes);
      if (errors.length) console.log(name, errors);
      await page.context().close();
    }
    if (player && hasLive) await take(player, "live", sizes);
  }
});

/** Height of a picture on the contact sheet, in pixels for each pixel of the page. */
const SCALE = 0.3;

test("one contact sheet for each theme", async () => {
  const sizes = DEVICES.flatMap(sizesOf);
  const names = [...places.map(([name]) => name), ...(hasLive ? ["live"] : [])];
  for (const theme of THEMES) {
    const picture = (name: string, [width, height]: readonly [number, number]) => {
      const data = readFileSync(`${FOLDER}/${name}-${width}-${theme}.png`).toString("base64");
      return `<img width="${width * SCALE}" height="${height * SCALE}" src="data:image/png;base64,${data}">`;
    };
    const rows = names.map((name) => `<h2>${name}</h2><div>${sizes.map((size) => picture(name, size)).join("")}</div>`);
    const page = await browser.newPage({ viewport: { width: 1900, height: 1000 } });
    await page.setContent(`<style>body{margin:12px;background:#777;font:14px sans-serif}h2{margin:12px 0 4px}div{display:flex;gap:8px;align-items:flex-start}</style>${rows.join("")}`);
    writeFileSync(`${FOLDER}/sheet-${theme}.png`, await page.screenshot({ fullPage: true }));
    await page.close();
  }
});
