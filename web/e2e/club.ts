/** A server with people on it, for pictures: games in progress, finished games, and players who wait. */

import type { Page } from "playwright-core";
import { arrive, button, move, play, register, resign, sitDown, type Seat } from "./seats";

export const PASSWORD = "a long and rare sentence";

const ITALIAN: [string, string][] = [["e2", "e4"], ["e7", "e5"], ["g1", "f3"], ["b8", "c6"], ["f1", "c4"], ["f8", "c5"], ["c2", "c3"], ["g8", "f6"], ["d2", "d3"], ["d7", "d6"]];
const GAMBIT: [string, string][] = [["d2", "d4"], ["d7", "d5"], ["c2", "c4"], ["e7", "e6"], ["b1", "c3"], ["g8", "f6"], ["c1", "g5"]];
const MATE: [string, string][] = [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]];

/** Plays a rated game between two accounts, which resigning ends. */
async function ratedGame(seats: readonly [Seat, Seat]): Promise<void> {
  for (const { page } of seats) {
    await page.getByLabel("Rated game").first().check();
    await button(page, "10 + 5").click();
  }
  for (const { page } of seats) await page.getByRole("grid").waitFor();
  const isFirstWhite = (await seats[0].page.locator("[data-player]").last().getAttribute("data-player")) === "white";
  const [white, black] = isFirstWhite ? seats : [seats[1], seats[0]];
  await play(white.page, black.page, ITALIAN);
  await resign(black.page);
}

/**
 * Fills the server. Returns the page of a player whose game is in progress, and closes nothing: the
 * people stay until the test ends.
 */
export async function gather(): Promise<Page> {
  const accounts = [await arrive("Magda"), await arrive("Oskar")] as const;
  for (const { page } of accounts) await register(page, PASSWORD);
  await ratedGame(accounts);
  for (const names of [["Jana", "Karol"], ["Lena", "Milan"]] as [string, string][]) {
    const [white, black] = await sitDown(names);
    await play(white.page, black.page, MATE);
  }
  const [quiet, other] = await sitDown(["Nora", "Pavol"]);
  await play(quiet.page, other.page, GAMBIT);
  const [white, black] = await sitDown(["Vera", "Tomas"]);
  await play(white.page, black.page, ITALIAN);
  for (const [page, words] of [[white.page, "Good luck!"], [black.page, "You too. Nice opening."]] as const) {
    await page.getByLabel("Write a message").fill(words);
    await page.keyboard.press("Enter");
  }
  await move(white.page, "e1", "g1");
  for (const [name, control] of [["Rudo", "3 + 2"], ["Sisa", "15 + 10"]] as const) {
    const { page } = await arrive(name);
    await button(page, control).click();
  }
  const rated = accounts[0].page;
  await rated.goto(new URL("/online", rated.url()).href);
  await rated.getByLabel("Rated game").first().check();
  await button(rated, "5 + 3").click();
  return white.page;
}
