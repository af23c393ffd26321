/** A browser for the tests: the one that the system has. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

/** Where the page is served; several runs on one machine each take a port of their own. */
export const PORT = Number(process.env["E2E_PORT"] ?? 4173);
export const ADDRESS = `http://localhost:${PORT}`;

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
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

/** A page of a new visitor, whose errors fail the test that looks at `errors`. */
export async function visit(
  browser: Browser,
  path: string,
  options: BrowserContextOptions & { settings?: object; address?: string } = {},
): Promise<{ page: Page; errors: string[] }> {
  const { settings, address = ADDRESS, ...rest } = options;
  const context = await browser.newContext({ locale: "en-GB", serviceWorkers: "block", ...rest });
  context.setDefaultTimeout(30_000);
  if (settings) {
    const text = JSON.stringify(settings);
    await context.addInitScript((kept) => {
      if (!localStorage.getItem("castellan.settings")) localStorage.setItem("castellan.settings", kept);
    }, text);
  }
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(address + path);
  return { page, errors };
}

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
}

/** What axe objects to on a page as it is now; the page is visited with `bypassCSP`. */
export async function objections(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run();
    const told = ({ html, failureSummary = "" }: { html: string; failureSummary?: string }) => `${html} ${failureSummary}`;
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(told).join(" | ")}`);
  });
}
