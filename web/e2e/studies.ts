/** Helpers for review tests: open, step through and save games. */

import type { Browser, Download, Page } from "playwright-core";
import { launch, visit } from "./browser";

/** The browser of the tests. */
export let browser: Browser;

export async function open(): Promise<void> {
  browser = await launch();
}

export const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
export const move = (page: Page, san: string) => page.locator("[data-node]").filter({ hasText: san }).first();
export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
export const sans = async (page: Page) => (await page.locator("[data-node]").allTextContents()).map((it) => it.trim());
/** Returns the current move; empty at the start of the game. */
export const current = async (page: Page) => (await page.locator("[data-node][aria-current]").allTextContents()).join().trim();

/** Opens the review page with a game. */
export async function review(pgn: string, options: Parameters<typeof visit>[2] = {}): Promise<{ page: Page; errors: string[] }> {
  const visited = await visit(browser, "/review", options);
  await visited.page.locator("#review-pgn").fill(pgn);
  await button(visited.page, "Load").click();
  await visited.page.getByRole("grid").waitFor();
  return visited;
}

export const isDone = (page: Page) => button(page, /Next mistake|No mistakes found/).waitFor();

export async function saved(page: Page, name: string): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, name).last().click()]);
  return download;
}
