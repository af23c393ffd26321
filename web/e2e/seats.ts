/** Players on the online pages of one server: they arrive, start games, move and resign. */

import { expect } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, objections, visit } from "./browser";
import { Castellan } from "./castellan";

/** The server; every test file has its own. */
export let server: Castellan;
export let browser: Browser;

export async function open(): Promise<void> {
  browser = await launch();
  server = new Castellan();
  await server.start();
}

export const close = (): Promise<void> => server.close();

export const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
export const sheet = (page: Page) => page.getByRole("region", { name: "Game over" });
export const plies = (page: Page) => page.locator("[data-ply]").allTextContents();
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

export interface Seat {
  page: Page;
  errors: string[];
}

/** Opens the page for a player with a name and settings of their own. */
export const arrive = (name: string, path = "/online", settings: object = {}): Promise<Seat> =>
  visit(browser, path, { address: server.address, settings: { onlineName: name, ...settings } });

/** Pairs two players and returns White first, whichever color each was given. */
export async function sitDown(names: [string, string], settings: object = {}): Promise<[Seat, Seat]> {
  const seats = [await arrive(names[0], "/online", settings), await arrive(names[1], "/online", settings)] as const;
  for (const { page } of seats) await button(page, "10 + 5").click();
  for (const { page } of seats) await page.getByRole("grid").waitFor();
  const isFirstWhite = (await seats[0].page.locator("[data-player]").last().getAttribute("data-player")) === "white";
  return isFirstWhite ? [seats[0], seats[1]] : [seats[1], seats[0]];
}

export async function move(page: Page, from: string, to: string): Promise<void> {
  await square(page, from).click();
  await square(page, to).click();
}

/** Plays moves in turns, each as soon as the previous one is visible. */
export async function play(white: Page, black: Page, moves: [string, string][], before = 0): Promise<void> {
  for (const [index, [from, to]] of moves.entries()) {
    const count = before + index;
    const mover = count % 2 === 0 ? white : black;
    await expect.poll(() => mover.locator("[data-ply]").count()).toBe(count);
    await move(mover, from, to);
    await expect.poll(() => mover.locator("[data-ply]").count()).toBe(count + 1);
  }
}

/** Returns the path of a link that the server's page shows. */
export const pathOf = (link: string) => link.replace(server.address, "");

/** Creates an account with the player's current name. */
export async function register(page: Page, password = "a long and rare sentence"): Promise<void> {
  await button(page, "Sign in").click();
  await button(page, "I don't have an account yet").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(password);
  await dialog.getByRole("button", { name: "Create account" }).click();
  await button(page, "Sign out").waitFor();
}

export async function resign(page: Page): Promise<void> {
  await button(page, "Resign").click();
  await button(page, "Yes, resign").click();
}

export async function axe(page: Page): Promise<void> {
  expect(await objections(page)).toEqual([]);
}
