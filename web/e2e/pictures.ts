/** The screenshots for the documentation, in both themes: `npm run pictures`. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { visit } from "./browser";
import { gather } from "./club";
import { browser, close, open, server } from "./seats";

const FOLDER = "../docs/pictures";
const LARGEST_BYTES = 150_000;
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const BAD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNP b KQkq e3 0 1";
const MOVES = ["e4", "d5", "exd5", "Qxd5", "Nc3", "Qa5", "d4", "Nf6", "Nf3", "Bg4", "h3", "Bxf3", "Qxf3", "c6", "Bd2"];
const sample = readFileSync("e2e/sample.pgn", "utf8").trim();
/** As many games as a club might have, in consecutive years. */
const club = Array.from({ length: 80 }, (_, at) => sample.replace(/"(19|20)\d\d\./g, `"${1950 + at}.`)).join("\n\n");
const STUDY = '[White "Anna"]\n[Black "Boris"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 1-0\n';

interface Picture {
  name: string;
  path: string;
  size: { width: number; height: number };
  /** Whether the picture needs a server for online games. */
  isOnline?: boolean;
  prepare?: (page: Page) => Promise<void>;
}

async function play(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Start game" }).click();
  for (const move of MOVES) {
    await page.locator("#move-field").fill(move);
    await page.keyboard.press("Enter");
  }
  await page.locator("[data-square=e8]").click();
  await page.evaluate(() => scrollTo(0, 0));
}

const PICTURES: Picture[] = [
  { name: "home", path: "/", size: WIDE },
  { name: "game", path: "/two", size: WIDE, prepare: play },
  { name: "phone", path: "/two", size: PHONE, prepare: play },
  { name: "editor", path: `/editor?fen=${encodeURIComponent(BAD)}`, size: WIDE },
  {
    name: "library",
    path: "/library",
    size: WIDE,
    prepare: async (page) => {
      const file = { name: "club-games.pgn", mimeType: "text/plain", buffer: Buffer.from(club) };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.getByRole("grid").waitFor();
    },
  },
  {
    name: "review",
    path: "/review",
    size: WIDE,
    prepare: async (page) => {
      await page.locator("#review-pgn").fill(STUDY);
      await page.getByRole("button", { name: "Load", exact: true }).click();
      const next = page.getByRole("button", { name: /Next mistake|No mistakes found/ });
      await next.waitFor({ timeout: 300_000 });
      if (await next.isEnabled()) await next.click();
    },
  },
  {
    name: "online",
    path: "/online",
    size: WIDE,
    isOnline: true,
    prepare: (page) => page.locator(".here").first().waitFor(),
  },
];

/** Converts a picture to WebP, which browsers can write and which is a third of the size of PNG. */
async function shrink(png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const url = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.88);
  }, `data:image/png;base64,${png.toString("base64")}`);
  await page.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

const ONLINE = PICTURES.filter(({ isOnline }) => isOnline).map(({ name }) => name);
const wanted = process.env["PICTURES"]?.split(",");

beforeAll(open);
afterAll(close);

test("pictures for the documents", { timeout: 900_000 }, async () => {
  mkdirSync(FOLDER, { recursive: true });
  if (wanted?.some((name) => ONLINE.includes(name)) ?? true) await gather();
  for (const { name, path, size, isOnline, prepare } of PICTURES.filter((it) => wanted?.includes(it.name) ?? true)) {
    const { page } = await visit(browser, path, {
      viewport: size,
      settings: { names: { white: "Anna", black: "Boris" }, onlineName: "Anna" },
      ...(isOnline && { address: server.address }),
    });
    await page.locator("h1").first().waitFor({ state: "attached" });
    await page.waitForTimeout(800);
    await prepare?.(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(600);
      const picture = await shrink(await page.screenshot());
      expect(picture.length, name).toBeLessThan(LARGEST_BYTES);
      writeFileSync(`${FOLDER}/${name}-${colorScheme}.webp`, picture);
    }
    await page.context().close();
  }
});
