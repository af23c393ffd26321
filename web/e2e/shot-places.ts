/** The pages and states of which `shots.ts` takes pictures, and how to get there in English. */

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { PASSWORD } from "./club";
import { button, register } from "./seats";

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

/** Opens a game in the review, at its end, and presses a button. */
async function study(page: Page, name?: string): Promise<void> {
  await page.locator("#review-pgn").fill(STUDY);
  await button(page, "Load").click();
  await page.getByRole("button", { name: /Next mistake|No mistakes found/ }).waitFor({ timeout: 300_000 });
  await button(page, "Last move").click();
  if (name) await button(page, name).click();
}

export interface Shot {
  path: string;
  settings?: object;
  prepare?: (page: Page, seat: string) => Promise<unknown>;
}

export const SHOTS: Record<string, Shot> = {
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
  // Smaller states: dialogs, forms, questions and notices.
  menu: {
    path: "/",
    prepare: async (page) => {
      const burger = button(page, "Menu");
      if (await burger.isVisible()) await burger.click();
    },
  },
  keys: {
    path: "/two",
    prepare: async (page) => {
      await enter(page, []);
      await page.keyboard.press("?");
    },
  },
  promotion: {
    path: `/two?fen=${encodeURIComponent("8/6P1/8/8/8/3k4/8/3K4 w - - 0 60")}`,
    prepare: async (page) => {
      await enter(page, []);
      for (const name of ["g7", "g8"]) await page.locator(`[data-square=${name}]`).click();
    },
  },
  offer: {
    path: "/two",
    prepare: async (page) => {
      await enter(page, MOVES);
      await button(page, "Offer draw").click();
    },
  },
  premoves: {
    path: "/computer",
    settings: { side: "white", level: 2900, computerClock: "none" },
    prepare: async (page) => {
      await page.route(/engine.*\.wasm$/, () => {});
      await button(page, "Start game").click();
      for (const name of ["e2", "e4", "g1", "f3", "d2", "d4"]) await page.locator(`[data-square=${name}]`).click();
    },
  },
  touched: {
    path: "/two",
    settings: { touchMove: true },
    prepare: async (page) => {
      await enter(page, []);
      await page.locator("[data-square=g1]").click();
    },
  },
  leave: {
    path: "/two",
    prepare: async (page) => {
      await enter(page, MOVES);
      await button(page, "Restart").click();
    },
  },
  open: { path: "/review" },
  notes: {
    path: "/review",
    prepare: async (page) => {
      await study(page);
      await page.keyboard.press("c");
      await button(page, "Draw arrows and circles").click();
    },
  },
  share: { path: "/review", prepare: (page) => study(page, "Share") },
  evaluations: { path: "/review", prepare: (page) => study(page, "Evaluation table") },
  playOn: { path: "/review", prepare: (page) => study(page, "Play from here") },
  badFen: { path: "/analysis?fen=8/8/8/8/8/8/8/8" },
  solution: {
    path: "/puzzles",
    prepare: async (page) => {
      await button(page, "From three famous games").click();
      await page.locator("[data-state=asking]").waitFor();
      await page.getByRole("button", { name: "Show solution" }).click();
    },
  },
  fields: {
    path: "/library",
    prepare: async (page) => {
      await loadGames(page);
      const all = page.getByText("All search fields");
      if (await all.isVisible()) await all.click();
      await page.locator("#material").fill("KN");
    },
  },
  square: {
    path: "/editor",
    prepare: (page) => page.locator("[data-square=e2]").click({ button: "right" }),
  },
  signIn: { path: "/online", prepare: (page) => button(page, "Sign in").click() },
  create: {
    path: "/online",
    prepare: async (page) => {
      await button(page, "Sign in").click();
      await button(page, "I don't have an account yet").click();
      await page.getByRole("dialog").getByRole("button", { name: "Create account" }).click();
    },
  },
  recover: {
    path: "/online",
    prepare: async (page) => {
      await button(page, "Sign in").click();
      await button(page, "Forgot your password?").click();
    },
  },
  invite: {
    path: "/online",
    prepare: async (page) => {
      await page.getByText("Invite a friend").click();
      await page.getByText("Play the server's engine").click();
    },
  },
  invited: {
    path: "/online",
    prepare: async (page) => {
      await page.getByText("Invite a friend").click();
      await button(page, "Create link").click();
      await page.getByLabel("Invitation link").waitFor();
    },
  },
};
