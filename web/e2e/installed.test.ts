/** The page as an installed app: what browsers require, and every page offline. */

import { beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { ADDRESS, launch, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

interface Manifest {
  name: string;
  short_name: string;
  start_url: string;
  display: string;
  icons: { src: string; sizes: string; type: string; purpose: string }[];
  shortcuts: { url: string }[];
}

test("the manifest has all that browsers want before they install a page", async () => {
  const { page } = await visit(browser, "/");
  const href = await page.locator("link[rel=manifest]").getAttribute("href");
  const answer = await page.request.get(ADDRESS + href);
  const manifest = (await answer.json()) as Manifest;
  expect([manifest.name, manifest.start_url, manifest.display]).toEqual(["Castellan", "/", "standalone"]);
  expect(manifest.short_name.length).toBeLessThanOrEqual(12);
  const sizes = manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`);
  expect(sizes).toEqual(expect.arrayContaining(["any any", "192x192 any", "512x512 any", "512x512 maskable"]));
  const apple = await page.locator("link[rel=apple-touch-icon]").getAttribute("href");
  for (const { src, sizes, type } of [...manifest.icons, { src: apple ?? "", sizes: "180x180", type: "image/png" }]) {
    const icon = await page.request.get(ADDRESS + src);
    expect(icon.ok(), src).toBe(true);
    expect(icon.headers()["content-type"], src).toContain(type);
    const drawn = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    if (sizes !== "any") expect(drawn, src).toBe(sizes);
  }
  for (const { url } of manifest.shortcuts) {
    await page.goto(ADDRESS + url);
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
    expect(new URL(page.url()).pathname).toBe(url);
  }
});

test("without a network every page comes back, and the library reads files", async () => {
  const { page, errors } = await visit(browser, "/two", { serviceWorkers: "allow" });
  await page.getByRole("button", { name: "Start game" }).click();
  await page.locator("#move-field").fill("e4");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='1']").waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await page.context().setOffline(true);
  for (const path of ["/", "/two", "/computer", "/game", "/editor", "/doctor", "/library", "/review", "/online", "/server", "/settings", "/about"]) {
    await page.goto(ADDRESS + path);
    await page.reload();
    await page.locator("main h1").first().waitFor({ state: "attached" });
    expect(new URL(page.url()).pathname, path).toBe(path);
  }
  await page.goto(`${ADDRESS}/library`);
  await page.locator("input[type=file]").setInputFiles("e2e/sample.pgn");
  await page.getByRole("heading", { name: "5 games" }).waitFor();
  await page.locator("[role=row][data-at='2']").click();
  await page.locator("[data-node='1']").waitFor();
  expect(errors.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
});
