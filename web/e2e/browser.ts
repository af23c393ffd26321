/** Starts the system's browser for the tests. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { inject, onTestFinished } from "vitest";
import { LIMIT_MS } from "./limit";

/** Address at which `serve.ts` serves the page. */
export const ADDRESS = inject("address");

/** The browser of this worker, or the last one if that has been closed. */
let shared: Promise<Browser> | undefined;

/**
 * Returns the browser of this worker. All its test files share it, because a start takes longer than
 * many tests; contexts keep the tests apart. It ends with the worker.
 */
export async function launch(): Promise<Browser> {
  if (!shared || !(await shared).isConnected()) shared = start();
  return shared;
}

function start(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"];
  if (!executablePath) throw new Error("CHROMIUM does not name a browser; `cargo xtask test --only page` finds one");
  return chromium.launch({
    executablePath,
    timeout: LIMIT_MS,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * A new visitor, who reads English and has no service worker unless `options` say otherwise. The
 * context is closed when the test ends, because an open page would keep drawing and thinking during
 * the next test.
 */
export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: "en-GB", serviceWorkers: "block", ...options });
  context.setDefaultTimeout(LIMIT_MS);
  onTestFinished(() => context.close());
  return context;
}

/**
 * Opens a page for a new visitor. Its errors are collected in `errors`, for the test to check.
 * Files whose address matches `held` arrive only after `release` is called.
 */
export async function visit(
  browser: Browser,
  path: string,
  options: BrowserContextOptions & { settings?: object; address?: string; held?: RegExp } = {},
): Promise<{ page: Page; errors: string[]; release: () => void }> {
  const { settings, address = ADDRESS, held, ...rest } = options;
  const context = await newContext(browser, rest);
  // Tests need judgments that are clear, not deep, and moves without the pauses of a person.
  const text = JSON.stringify({ analysis: "quick", quickReplies: true, ...settings });
  await context.addInitScript((kept) => {
    if (!localStorage.getItem("castellan.settings")) localStorage.setItem("castellan.settings", kept);
  }, text);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  // Set up before the page loads, because it requests some files as soon as it runs.
  const release = held ? await hold(page, held) : () => {};
  await page.goto(address + path);
  return { page, errors, release };
}

/** Holds back files whose address matches `pattern`; the returned function releases them. */
async function hold(page: Page, pattern: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((done) => (release = done));
  await page.route(pattern, async (route) => {
    await released;
    // The page may have canceled the request meanwhile.
    await route.continue().catch(() => {});
  });
  return release;
}

/** Waits until the page is fully drawn and nothing on it moves. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
    const moving = () => document.getAnimations().filter((it) => it.playState === "running" && it.effect?.getComputedTiming().endTime !== Infinity);
    await nextFrame();
    await nextFrame();
    while (moving().length) {
      await Promise.allSettled(moving().map((it) => it.finished));
      await nextFrame();
    }
  });
}

interface Axe {
  run(options?: { runOnly: string[] }): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
}

/**
 * Returns the accessibility problems that axe finds once the page has settled. The page must be
 * visited with `bypassCSP`.
 */
export async function objections(page: Page, runOnly?: string[]): Promise<string[]> {
  await settled(page);
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(runOnly && { runOnly });
    const told = ({ html, failureSummary = "" }: { html: string; failureSummary?: string }) => `${html} ${failureSummary}`;
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(told).join(" | ")}`);
  }, runOnly);
}

/** Does the same in the light theme, then in the dark one, where only the colors differ. */
export async function objectionsInBothThemes(page: Page): Promise<string[]> {
  const light = await objections(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await objections(page, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...dark.map((it) => `in dark: ${it}`)];
}
