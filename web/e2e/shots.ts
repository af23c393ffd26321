/** Screenshots of every page in four sizes and both themes, to inspect: `npm run shots`. */

import { mkdirSync, readFileSync } from "node:fs";
import { test } from "vitest";
import { launch, visit } from "./browser";

const SIZES = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 820, height: 1180 },
  { width: 1440, height: 900 },
];
const PLACES = (process.env["PLACES"] ?? "home,two,computer,game,end,editor,doctor,analysis,puzzles,library,games,explorer,settings,about").split(",");
const WIDTHS = (process.env["WIDTHS"] ?? "390,820,844,1440").split(",").map(Number);
const THEMES = (process.env["THEMES"] ?? "light,dark").split(",");
const BAD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNP b KQkq e3 0 1";
const MOVES = ["e4", "d5", "exd5", "Qxd5", "Nc3", "Qa5", "d4", "Nf6", "Nf3", "Bg4", "h3", "Bxf3", "Qxf3", "c6", "Bd2"];
/** More than a hundred games, one of them broken. */
const GAMES = Array.from({ length: 120 }, (_, at) => (at === 1 ? '[White "Field, Ana"]\n[Black "Hill, Tom"]\n[Date "1999.01.02"]\n\n1. e4 e5 2. Ke3 *\n\n' : "") + readFileSync("e2e/sample.pgn", "utf8").trim()).join("\n\n");
const MATE = ["f3", "e5", "g4", "Qh4"];

test("pictures of every page", { timeout: 900_000 }, async () => {
  mkdirSync("shots", { recursive: true });
  const browser = await launch();
  for (const size of SIZES.filter(({ width }) => WIDTHS.includes(width))) {
    for (const theme of THEMES as ("light" | "dark")[]) {
      for (const place of PLACES) {
        const query = place === "editor" || place === "doctor" ? `?fen=${encodeURIComponent(BAD)}` : "";
        const isGame = place === "game" || place === "end";
        const path = place === "home" ? "/" : isGame ? "/two" : place === "games" || place === "explorer" ? "/library" : `/${place}${query}`;
        const { page, errors } = await visit(browser, path, { viewport: size, colorScheme: theme, settings: { names: { white: "Anna", black: "Boris" } } });
        await page.waitForTimeout(900);
        if (place === "games" || place === "explorer") {
          await page.locator("input[type=file]").setInputFiles({ name: "club-games.pgn", mimeType: "text/plain", buffer: Buffer.from(GAMES) });
          await page.waitForTimeout(600);
        }
        if (place === "explorer") {
          await page.getByRole("button", { name: "Explorer" }).click();
          await page.locator("[data-uci=e2e4]").click();
          await page.locator("[data-uci=e7e5]").waitFor();
          await page.waitForTimeout(600);
        }
        if (isGame) {
          await page.getByRole("button", { name: "Start game" }).click();
          for (const move of place === "end" ? MATE : MOVES) {
            await page.locator("#move-field").fill(move);
            await page.keyboard.press("Enter");
          }
          if (place === "game") await page.locator("[data-square=e8]").click();
          await page.evaluate(() => scrollTo(0, 0));
          await page.waitForTimeout(400);
        }
        await page.screenshot({ path: `shots/${place}-${size.width}-${theme}.png`, fullPage: size.width < 1000 });
        if (errors.length) console.log(place, size.width, theme, errors);
        await page.context().close();
      }
    }
  }
  await browser.close();
});
