/** What the page offers when a program on this machine serves it: other engines, and quitting. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, BrowserContext, Route } from "playwright-core";
import { ADDRESS, launch, newContext } from "./browser";
import { OwnCastellan } from "./castellan";

const KEY = "0123456789abcdef0123456789abcdef";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

interface Program {
  engines: { id: number; name: string; author: string; path: string; elo: { min: number; max: number } }[];
  asked: { start: string; moves: string[]; lines?: number; level?: number | null; is_chess960?: boolean }[];
  /** The last engine that was to be added. */
  added: { path: string; args: string; hash_mb: number | null; threads: number | null } | null;
  hasQuit: boolean;
}

/** Answers like the server; the server's own tests are in `crates/server`. */
async function serve(context: BrowserContext): Promise<Program> {
  const program: Program = { engines: [], asked: [], added: null, hasQuit: false };
  const json = (route: Route, status: number, body: unknown) =>
    route.fulfill({ status, contentType: "application/json", body: JSON.stringify(body) });
  await context.route("**/api/local**", async (route) => {
    const request = route.request();
    if (request.headers()["x-castellan-key"] !== KEY) return json(route, 403, { code: "forbidden", message: "" });
    const path = new URL(request.url()).pathname.replace("/api/local", "");
    if (path === "") return json(route, 200, { engines: program.engines, own: null });
    if (path === "/quit") {
      program.hasQuit = true;
      return route.fulfill({ status: 202 });
    }
    if (path === "/engines") {
      const added = request.postDataJSON() as NonNullable<Program["added"]>;
      program.added = added;
      const place = added.path;
      if (!place.startsWith("/")) return json(route, 200, { refused: { code: "engine_not_absolute", message: "" } });
      const engine = { id: 1, name: "Knightmare 3", author: "Somebody", path: place, elo: { min: 1320, max: 3190 } };
      program.engines.push(engine);
      return json(route, 201, engine);
    }
    if (path === "/engines/1/search") {
      const task = request.postDataJSON() as Program["asked"][number];
      program.asked.push(task);
      const report = { depth: 12, rank: 1, score: { cp: 34 }, nodes: 100, time_ms: 10, moves: ["e7e5"], line: ["e5", "Nf3"] };
      const move = task.moves.length === 1 ? "e7e5" : "b8c6";
      const result = { move, san: "", score: { cp: 34 }, nodes: 100, lines: [] };
      const body = `${JSON.stringify({ report })}\n${JSON.stringify({ result })}\n`;
      return route.fulfill({ status: 200, contentType: "application/x-ndjson", body });
    }
    program.engines = [];
    return route.fulfill({ status: 204 });
  });
  return program;
}

async function visitLocal(path: string) {
  const context = await newContext(browser);
  const program = await serve(context);
  const page = await context.newPage();
  await page.goto(`${ADDRESS}${path}#key=${KEY}`);
  return { page, program };
}

test("another engine is added by its path, plays, and analyzes", async () => {
  const { page, program } = await visitLocal("/computer");
  // The key is removed from the address.
  await expect.poll(() => page.url()).toBe(`${ADDRESS}/computer`);
  await page.getByRole("button", { name: "Add another engine" }).click();
  await page.locator("#engine-path").fill("engine");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Enter the full path.").waitFor();
  await page.locator("#engine-path").fill("/opt/knightmare");
  await page.getByText("Arguments and limits").click();
  await page.getByLabel("Arguments", { exact: true }).fill("--net 'a b'");
  await page.getByLabel("Hash (MB)").fill("256");
  await page.keyboard.press("Enter");
  await expect.poll(() => program.added).toEqual({ path: "/opt/knightmare", args: "--net 'a b'", hash_mb: 256, threads: null });
  const radio = page.getByRole("radio", { name: /Knightmare 3/ });
  await expect.poll(() => radio.isChecked()).toBe(true);
  // The engine plays at full strength unless it is limited.
  const strength = page.getByRole("slider", { name: "Strength" });
  await expect.poll(() => strength.getAttribute("aria-valuetext")).toBe("Full strength");
  await strength.fill("1500");
  await page.getByRole("button", { name: "Start game" }).click();
  await page.locator("#move-field").fill("e4");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='2']").waitFor();
  await expect.poll(() => page.locator("[data-ply]").allTextContents()).toEqual(["e4", "e5"]);
  expect(program.asked[0]).toMatchObject({ moves: ["e2e4"], level: 1500, is_chess960: false });
  await expect.poll(() => page.locator("[data-player=black]").textContent()).toMatch(/Knightmare 3.*1500/);
  await page.getByLabel("Analyze with").selectOption("Knightmare 3");
  await page.getByText("+0.3", { exact: true }).waitFor();
  expect(program.asked.at(-1)).toMatchObject({ moves: ["e2e4", "e7e5"], lines: 3 });
  expect(program.asked.at(-1)?.level ?? null).toBeNull();
  // The engine keeps playing while it analyzes.
  await page.locator("#move-field").fill("Nf3");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='4']").waitFor();
  await expect.poll(() => page.locator("[data-ply]").last().textContent()).toBe("Nc6");
});

test("quitting asks once, ends the program, and says that the page may be closed", async () => {
  const { page, program } = await visitLocal("/");
  await page.getByRole("button", { name: "Quit" }).click();
  const dialog = page.getByRole("dialog", { name: "Quit Castellan?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(program.hasQuit).toBe(false);
  await page.getByRole("button", { name: "Quit" }).click();
  await dialog.getByRole("button", { name: "Quit" }).click();
  await page.getByText("You can close this page.").waitFor();
  expect(program.hasQuit).toBe(true);
});

test("without the key there are no other engines, and the page says how to quit", async () => {
  const context = await newContext(browser);
  await serve(context);
  const page = await context.newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${ADDRESS}/computer`, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: "Start game" }).waitFor();
  expect(asked.filter((path) => path.startsWith("/api/local"))).toEqual([]);
  await expect.poll(() => page.getByText("Add another engine").count()).toBe(0);
  await page.getByRole("button", { name: "Quit" }).click();
  const dialog = page.getByRole("dialog", { name: "Quit Castellan?" });
  await dialog.getByText("press Ctrl+C in the terminal").waitFor();
  await expect.poll(() => dialog.getByRole("button", { name: "Quit" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await expect.poll(() => dialog.count()).toBe(0);
  await page.goto(`${ADDRESS}/about`);
  await page.getByText("press Ctrl+C in the terminal").waitFor();
});

test("the real program: its page plays against an engine of this machine and ends it", async () => {
  const castellan = new OwnCastellan();
  await castellan.start();
  const page = await castellan.visit(browser);
  // With a clock, the engine would think as long as a player does.
  await page.getByLabel("No clock").check();
  await page.getByRole("button", { name: "Start game" }).click();
  await page.locator("#move-field").fill("e4");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='2']").waitFor();
  await page.getByLabel("Analyze with").selectOption({ index: 1 });
  await page.locator(".analysis li").first().waitFor();
  await castellan.quit(page);
});
