/**
 * Online play with the real server: whole games, disconnects, a server crash, spectators, history.
 */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { ADDRESS, visit } from "./browser";
import { arrive, axe, browser, button, close, move, open, pathOf, plies, play, resign, server, sheet, sitDown, square } from "./seats";

beforeAll(open);
afterAll(close);

test("two people find each other, talk, agree on a draw, and play once more", async () => {
  const [white, black] = await sitDown(["Anna", "Boris"]);
  await expect.poll(() => white.page.title()).toBe("Your turn – Online game – Castellan");
  await expect.poll(() => black.page.title()).toBe("Online game – Castellan");
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"], ["g1", "f3"]]);
  await expect.poll(() => black.page.title()).toBe("Your turn – Online game – Castellan");
  await expect.poll(() => plies(black.page)).toEqual(["e4", "e5", "Nf3"]);
  // Text from other users is shown as plain text.
  await white.page.getByLabel("Write a message").fill("<b>Good luck</b>");
  await white.page.keyboard.press("Enter");
  await black.page.getByRole("listitem").getByText("<b>Good luck</b>").waitFor();
  await axe(white.page);
  // The chat is still there after a reload.
  await black.page.reload();
  await black.page.getByRole("listitem").getByText("<b>Good luck</b>").waitFor();
  await expect.poll(() => plies(black.page)).toEqual(["e4", "e5", "Nf3"]);
  // A player can offer a draw only on their own turn.
  await expect.poll(() => button(white.page, "Offer draw").isDisabled()).toBe(true);
  await button(black.page, "Offer draw").click();
  await button(white.page, "Decline").click();
  await play(white.page, black.page, [["b8", "c6"]], 3);
  await expect.poll(() => button(white.page, "Offer draw").isEnabled()).toBe(true);
  await button(white.page, "Offer draw").click();
  await button(black.page, "Accept").click();
  for (const { page } of [white, black]) {
    await sheet(page).waitFor();
    await expect.poll(() => sheet(page).textContent()).toContain("Draw by agreement");
  }
  await sheet(white.page).getByRole("button", { name: "Rematch" }).click();
  await sheet(black.page).getByRole("button", { name: "Accept rematch" }).click();
  // Colors are reversed, and the first game is no longer shown.
  await expect.poll(() => white.page.locator("[data-player]").last().getAttribute("data-player")).toBe("black");
  await expect.poll(() => plies(white.page)).toEqual([]);
  await play(black.page, white.page, [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]]);
  for (const { page } of [white, black]) {
    await sheet(page).waitFor();
    await expect.poll(() => sheet(page).textContent()).toContain("Black wins by checkmate");
  }
  expect([...white.errors, ...black.errors]).toEqual([]);
});

test("a game is saved while it is played, and goes to My games when it ends", async () => {
  const [white, black] = await sitDown(["Hana", "Ivan"]);
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"]]);
  await expect.poll(() => white.page.locator("[data-ply]").count()).toBe(2);
  const [download] = await Promise.all([white.page.waitForEvent("download"), button(white.page, "Save PGN").click()]);
  const text = readFileSync(await download.path(), "utf8");
  const today = new Date().toISOString().slice(0, 10).replaceAll("-", ".");
  expect(text).toMatch(/\[White "(Hana|Ivan)"\]\n\[Black "(Hana|Ivan)"\]/);
  for (const part of ['[Result "*"]', `[Date "${today}"]`, "1. e4 {[%clk", "e5 {[%clk"]) {
    expect(text).toContain(part);
  }
  // Without a server, the page writes the PGN from its own data.
  await white.page.context().setOffline(true);
  const [own] = await Promise.all([white.page.waitForEvent("download"), button(white.page, "Save PGN").click()]);
  expect(readFileSync(await own.path(), "utf8")).toMatch(/\[White "(Hana|Ivan)"\][^]*1\. e4 e5 \*/);
  await white.page.context().setOffline(false);
  await expect.poll(() => white.page.locator("[data-connection]").getAttribute("data-connection")).toBe("open");
  await resign(black.page);
  await sheet(white.page).waitFor();
  await expect.poll(() => sheet(white.page).textContent()).toMatch(/Duration: \d+:\d\d/);
  await white.page.getByRole("link", { name: "My games" }).click();
  const game = white.page.getByRole("list", { name: "My games" }).getByRole("listitem");
  await expect.poll(() => game.allTextContents()).toEqual([expect.stringMatching(/(Hana – Ivan|Ivan – Hana).*1–0.*1 move/)]);
});

test("a lost connection comes back by itself, and nothing is lost", async () => {
  const [white, black] = await sitDown(["Cyril", "Dana"]);
  await play(white.page, black.page, [["d2", "d4"]]);
  await expect.poll(() => black.page.locator("[data-ply]").count()).toBe(1);
  await white.page.context().setOffline(true);
  await expect.poll(() => white.page.locator("[data-connection]").getAttribute("data-connection")).toBe("waiting");
  await black.page.locator("[data-player=white]").getByText("is away").waitFor();
  await move(black.page, "d7", "d5");
  await expect.poll(() => plies(white.page)).toEqual(["d4"]);
  await white.page.context().setOffline(false);
  await expect.poll(() => plies(white.page)).toEqual(["d4", "d5"]);
  await play(white.page, black.page, [["c2", "c4"], ["e7", "e6"]], 2);
  await resign(black.page);
  await sheet(white.page).waitFor();
  await expect.poll(() => sheet(white.page).textContent()).toContain("Black resigned, White wins");
});

test("a server that is killed comes back with the game, and a move made meanwhile is kept", async () => {
  const [white, black] = await sitDown(["Eva", "Filip"]);
  await play(white.page, black.page, [["f2", "f3"], ["e7", "e5"]]);
  await expect.poll(() => white.page.locator("[data-ply]").count()).toBe(2);
  const failed: string[] = [];
  white.page.on("requestfailed", (request) => failed.push(request.url()));
  await server.kill();
  for (const { page } of [white, black]) {
    await expect.poll(() => page.locator("[data-connection]").getAttribute("data-connection")).not.toBe("open");
  }
  // The move appears on the board at once, and is sent when the server is back.
  await move(white.page, "g2", "g4");
  await expect.poll(() => plies(white.page)).toEqual(["f3", "e5", "g4"]);
  // The delay grows with each attempt, so after three of them the server has been away for more
  // than the one second after which players are told.
  await expect.poll(() => failed.length).toBeGreaterThanOrEqual(3);
  await server.start();
  await expect.poll(() => plies(black.page)).toEqual(["f3", "e5", "g4"]);
  await black.page.locator(".notice").getByText("The server was down").waitFor();
  await move(black.page, "d8", "h4");
  for (const { page } of [white, black]) await sheet(page).waitFor();
  await expect.poll(() => sheet(white.page).textContent()).toContain("Black wins by checkmate");
});

test("an invitation by link, a takeback, a premove, and a spectator", async () => {
  const host = await arrive("Gita");
  await host.page.getByText("Invite a friend").click();
  const form = host.page.locator("form").filter({ has: button(host.page, "Create link") });
  await form.getByLabel("Your color").selectOption("white");
  await form.getByLabel("Allow takebacks").check();
  await button(host.page, "Create link").click();
  const link = await host.page.getByLabel("Invitation link").inputValue();
  const path = pathOf(link);
  const guest = await arrive("Hynek", path);
  await guest.page.getByText("Gita invites you to a game").waitFor();
  await guest.page.getByText("10 + 5, you play Black, takebacks allowed").waitFor();
  await button(guest.page, "Play").click();
  for (const { page } of [host, guest]) await page.getByRole("grid").waitFor();
  // A premove: set while White is thinking and played at once; an earlier one is canceled by
  // keyboard.
  await move(guest.page, "e7", "e5");
  await expect.poll(() => square(guest.page, "e5").getAttribute("class")).toContain("premove");
  await guest.page.keyboard.press("Escape");
  await expect.poll(() => square(guest.page, "e5").getAttribute("class")).not.toContain("premove");
  await move(guest.page, "e7", "e5");
  await move(host.page, "e2", "e4");
  await expect.poll(() => plies(host.page)).toEqual(["e4", "e5"]);
  // A premove that has become illegal is dropped.
  await move(guest.page, "d7", "c6");
  await move(host.page, "d2", "d4");
  await guest.page.locator(".notice").getByText("is no longer possible").waitFor();
  await button(host.page, "Request takeback").click();
  await button(guest.page, "Accept").click();
  await expect.poll(() => plies(guest.page)).toEqual(["e4", "e5"]);
  const address = new URL(host.page.url());
  // Watching takes no name, and the lobby then offers to choose one.
  const watcher = await arrive("", address.pathname + address.search);
  await expect.poll(() => plies(watcher.page)).toEqual(["e4", "e5"]);
  await host.page.getByText("1 spectator").waitFor();
  await expect.poll(() => watcher.page.getByRole("button", { name: "Resign" }).count()).toBe(0);
  await move(host.page, "g1", "f3");
  await expect.poll(() => plies(watcher.page)).toEqual(["e4", "e5", "Nf3"]);
  await resign(guest.page);
  await sheet(watcher.page).waitFor();
  // A used link is no longer valid.
  const late = await arrive("", path);
  await late.page.getByText("This invitation is no longer open").first().waitFor();
  await late.page.getByText(/You play as Visitor \d{4}/).waitFor();
  await button(late.page, "Change name").waitFor();
  expect([...host.errors, ...guest.errors, ...watcher.errors]).toEqual([]);
});

test("the move can be confirmed first", async () => {
  const [white, black] = await sitDown(["Karol", "Lenka"], { confirm: true });
  await move(white.page, "e2", "e4");
  await expect.poll(() => square(white.page, "e4").getAttribute("aria-label")).toContain("white pawn");
  await expect.poll(() => plies(black.page)).toEqual([]);
  await button(white.page, "Cancel").click();
  await expect.poll(() => square(white.page, "e4").getAttribute("aria-label")).toContain("empty");
  await move(white.page, "d2", "d4");
  await button(white.page, "Confirm move").click();
  await expect.poll(() => plies(black.page)).toEqual(["d4"]);
  // Escape and every other place on the page cancel the first of the two clicks.
  await button(black.page, "Abort game").click();
  await button(black.page, "Yes, abort").waitFor();
  await black.page.keyboard.press("Escape");
  await button(black.page, "Abort game").click();
  await black.page.locator(".status").click();
  await button(black.page, "Abort game").click();
  await button(black.page, "Yes, abort").click();
  await sheet(white.page).waitFor();
  await expect.poll(() => sheet(white.page).textContent()).toContain("Game aborted");
});

test("what goes on is told: people in the lobby, games to watch, a game to go on with", async () => {
  const onlooker = await arrive("Rudo", "/server");
  await onlooker.page.getByRole("table", { name: "All games" }).waitFor();
  const [white, black] = await sitDown(["Petra", "Quido"]);
  // The server soon aborts a game without moves.
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"]]);
  await onlooker.page.getByRole("button", { name: /Watch (Petra – Quido|Quido – Petra)/ }).click();
  await onlooker.page.getByRole("grid").waitFor();
  // The home page shows the game, and follows it while the page is connected.
  const pictured = (index: number) => expect.poll(() => white.page.locator(".picture .mini > span").nth(index).locator("use").count());
  await white.page.setViewportSize({ width: 1440, height: 900 });
  await move(white.page, "g1", "f3");
  await white.page.getByRole("link", { name: "Castellan" }).first().click();
  const onward = white.page.getByRole("link", { name: "Continue your game" });
  await expect.poll(() => onward.textContent()).toMatch(/Petra – Quido|Quido – Petra/);
  const [c6, f3] = [18, 45];
  await pictured(c6).toBe(0);
  await move(black.page, "b8", "c6");
  await pictured(c6).toBe(1);
  await white.page.goto(`${server.address}/`);
  await pictured(c6).toBe(1);
  await pictured(f3).toBe(1);
  await onward.click();
  await white.page.getByRole("grid").waitFor();
  await onlooker.page.goto(`${server.address}/online`);
  await onlooker.page.getByText("1 game in progress").waitFor();
  await resign(black.page);
  await sheet(white.page).waitFor();
  await white.page.goto(`${server.address}/`);
  await white.page.getByRole("heading", { name: "A quiet game of chess" }).waitFor();
  await expect.poll(() => white.page.getByRole("link", { name: "Continue your game" }).count()).toBe(0);
});

test("time is given, offers are declined, a player is muted, and spectators follow to the rematch", async () => {
  const [white, black] = await sitDown(["Xenia", "Yveta"]);
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"]]);
  const address = new URL(white.page.url());
  const watcher = await arrive("Bruno", address.pathname + address.search);
  await expect.poll(() => plies(watcher.page)).toEqual(["e4", "e5"]);
  const notice = (page: Page, words: string) => page.locator(".notice").getByText(words).waitFor();
  await button(white.page, "Give time").click();
  await notice(black.page, "Your opponent gave you");
  await button(white.page, "Offer draw").click();
  await button(black.page, "Decline").click();
  await notice(white.page, "Your opponent declined the draw");
  await white.page.getByLabel("Write a message").fill("Hello there");
  await white.page.keyboard.press("Enter");
  const line = black.page.getByRole("listitem").getByText("Hello there");
  await line.waitFor();
  await black.page.getByRole("button", { name: /^Mute / }).click();
  await expect.poll(() => line.count()).toBe(0);
  await black.page.reload();
  await black.page.getByRole("button", { name: /^Unmute / }).click();
  await line.waitFor();
  await resign(black.page);
  await sheet(white.page).getByRole("button", { name: "Rematch" }).click();
  await button(black.page, "Decline").click();
  await notice(white.page, "Your opponent declined the rematch");
  await sheet(black.page).getByRole("button", { name: "Rematch" }).click();
  await sheet(white.page).getByRole("button", { name: "Accept rematch" }).click();
  await button(watcher.page, "Go to rematch").click();
  await expect.poll(() => plies(watcher.page)).toEqual([]);
  await button(white.page, "Abort game").click();
  await button(white.page, "Yes, abort").click();
  await button(watcher.page, "Go to previous game").click();
  await expect.poll(() => plies(watcher.page)).toEqual(["e4", "e5"]);
  expect([...white.errors, ...black.errors, ...watcher.errors]).toEqual([]);
});

test("the history lists the games, filters them by name, and opens them", async () => {
  const { page, errors } = await arrive("Olga", "/server");
  const table = page.getByRole("table", { name: "All games" });
  await table.getByRole("row").filter({ hasText: "Eva" }).waitFor();
  const all = await table.getByRole("row").count();
  await axe(page);
  await page.getByLabel("Filter by name").fill("eva");
  await page.keyboard.press("Enter");
  await expect.poll(() => table.getByRole("row").count()).toBe(2);
  await page.getByRole("region", { name: "eva's results" }).waitFor();
  // An unknown name is an answer and not an error, which the console would show.
  await page.getByLabel("Filter by name").fill("nobody at all");
  const [answer] = await Promise.all([page.waitForResponse(/\/api\/players\?/), page.keyboard.press("Enter")]);
  expect([answer.status(), await answer.json()]).toEqual([200, { player: null }]);
  await page.getByText("No player with this name has played here.").waitFor();
  await page.getByLabel("Filter by name").fill("");
  await button(page, "Show").click();
  await expect.poll(() => table.getByRole("row").count()).toBe(all);
  await page.getByRole("table", { name: "Ten longest games" }).waitFor();
  await table.getByRole("button", { name: /Open (Eva – Filip|Filip – Eva)/ }).click();
  const studied = async () => (await page.locator("[data-node]").allTextContents()).map((text) => text.trim());
  await expect.poll(async () => (await studied()).slice(-1)).toEqual(["Qh4#"]);
  expect(errors).toEqual([]);
});

test("where there is no server the page says so, and everything else works", async () => {
  const { page } = await visit(browser, "/online");
  await page.getByText("The server cannot be reached").waitFor();
  await button(page, "Try again").click();
  await page.getByText("The server cannot be reached").waitFor();
  await axe(page);
  await page.goto(`${ADDRESS}/server`);
  await page.getByText("The server cannot be reached").waitFor();
  await page.goto(`${ADDRESS}/two`);
  await button(page, "Start game").click();
  await move(page, "e2", "e4");
  await expect.poll(() => plies(page)).toEqual(["e4"]);
});
