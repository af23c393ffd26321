/** Online play with the real server: whole games, breaks, a server that dies, watching, history. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ADDRESS, launch, objections, visit } from "./browser";
import { Castellan } from "./castellan";

const server = new Castellan();
let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  await server.start();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const sheet = (page: Page) => page.getByRole("region", { name: "The game is over" });
const plies = (page: Page) => page.locator("[data-ply]").allTextContents();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

interface Seat {
  page: Page;
  errors: string[];
}

/** Somebody with a name, at a place of the page. */
const arrive = (name: string, path = "/online", options: object = {}): Promise<Seat> =>
  visit(browser, path, { address: server.address, settings: { onlineName: name }, ...options });

/** Two players at one board, White first, whatever was drawn. */
async function sitDown(names: [string, string], control = "10 + 5"): Promise<[Seat, Seat]> {
  const seats = [await arrive(names[0]), await arrive(names[1])] as const;
  for (const { page } of seats) await button(page, control).click();
  for (const { page } of seats) await page.getByRole("grid").waitFor();
  const isFirstWhite = (await seats[0].page.locator("[data-player]").last().getAttribute("data-player")) === "white";
  return isFirstWhite ? [seats[0], seats[1]] : [seats[1], seats[0]];
}

async function move(page: Page, from: string, to: string): Promise<void> {
  await square(page, from).click();
  await square(page, to).click();
}

/** Moves by turns, each as soon as the one before is seen. */
async function play(white: Page, black: Page, moves: [string, string][], before = 0): Promise<void> {
  for (const [index, [from, to]] of moves.entries()) {
    const count = before + index;
    const mover = count % 2 === 0 ? white : black;
    await expect.poll(() => mover.locator("[data-ply]").count()).toBe(count);
    await move(mover, from, to);
    await expect.poll(() => mover.locator("[data-ply]").count()).toBe(count + 1);
  }
}

async function axe(page: Page): Promise<void> {
  expect(await objections(page)).toEqual([]);
}

test("two people find each other, talk, agree on a draw, and play once more", async () => {
  const [white, black] = await sitDown(["Anna", "Boris"]);
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"], ["g1", "f3"]]);
  await expect.poll(() => plies(black.page)).toEqual(["e4", "e5", "Nf3"]);
  // Text of strangers stays text.
  await white.page.getByLabel("Say something").fill("<b>Good luck</b>");
  await white.page.keyboard.press("Enter");
  await black.page.getByRole("listitem").getByText("<b>Good luck</b>").waitFor();
  await axe(white.page);
  // It is still there for somebody who comes back.
  await black.page.reload();
  await black.page.getByRole("listitem").getByText("<b>Good luck</b>").waitFor();
  await expect.poll(() => plies(black.page)).toEqual(["e4", "e5", "Nf3"]);
  // A draw is offered on one's own move.
  expect(await button(white.page, "Offer a draw").isDisabled()).toBe(true);
  await button(black.page, "Offer a draw").click();
  await button(white.page, "Decline").click();
  await play(white.page, black.page, [["b8", "c6"]], 3);
  await expect.poll(() => button(white.page, "Offer a draw").isEnabled()).toBe(true);
  await button(white.page, "Offer a draw").click();
  await button(black.page, "Accept").click();
  for (const { page } of [white, black]) {
    await sheet(page).waitFor();
    expect(await sheet(page).textContent()).toContain("Draw, by agreement");
  }
  await sheet(white.page).getByRole("button", { name: "Rematch" }).click();
  await sheet(black.page).getByRole("button", { name: "Accept the rematch" }).click();
  // Colors are reversed, and the first game is not looked at any more.
  await expect.poll(() => white.page.locator("[data-player]").last().getAttribute("data-player")).toBe("black");
  expect(await plies(white.page)).toEqual([]);
  await play(black.page, white.page, [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]]);
  for (const { page } of [white, black]) {
    await sheet(page).waitFor();
    expect(await sheet(page).textContent()).toContain("Black wins, checkmate");
  }
  expect([...white.errors, ...black.errors]).toEqual([]);
});

test("a lost connection comes back by itself, and nothing is lost", async () => {
  const [white, black] = await sitDown(["Cyril", "Dana"]);
  await play(white.page, black.page, [["d2", "d4"]]);
  await expect.poll(() => black.page.locator("[data-ply]").count()).toBe(1);
  await white.page.context().setOffline(true);
  await expect.poll(() => white.page.locator("[data-connection]").getAttribute("data-connection")).toBe("waiting");
  await black.page.locator("[data-player=white]").getByText("is away").waitFor();
  await move(black.page, "d7", "d5");
  expect(await plies(white.page)).toEqual(["d4"]);
  await white.page.context().setOffline(false);
  await expect.poll(() => plies(white.page)).toEqual(["d4", "d5"]);
  await play(white.page, black.page, [["c2", "c4"], ["e7", "e6"]], 2);
  await button(black.page, "Resign").click();
  await button(black.page, "Resign: sure?").click();
  await sheet(white.page).waitFor();
  expect(await sheet(white.page).textContent()).toContain("White wins, the opponent resigned");
});

test("a server that is killed comes back with the game, and a move made meanwhile is kept", async () => {
  const [white, black] = await sitDown(["Eva", "Filip"]);
  await play(white.page, black.page, [["f2", "f3"], ["e7", "e5"]]);
  await expect.poll(() => white.page.locator("[data-ply]").count()).toBe(2);
  await server.kill();
  for (const { page } of [white, black]) {
    await expect.poll(() => page.locator("[data-connection]").getAttribute("data-connection")).not.toBe("open");
  }
  // The move is on the board at once, and goes out when there is somebody to hear it.
  await move(white.page, "g2", "g4");
  expect(await plies(white.page)).toEqual(["f3", "e5", "g4"]);
  await server.start();
  await expect.poll(() => plies(black.page), { timeout: 30_000 }).toEqual(["f3", "e5", "g4"]);
  await move(black.page, "d8", "h4");
  for (const { page } of [white, black]) await sheet(page).waitFor();
  expect(await sheet(white.page).textContent()).toContain("Black wins, checkmate");
});

test("an invitation by link, a take-back, a premove, and somebody who watches", async () => {
  const host = await arrive("Gita");
  await host.page.getByText("Invite somebody by link").click();
  await host.page.getByLabel("Your color").selectOption("white");
  await host.page.getByLabel("Moves may be taken back").check();
  await button(host.page, "Make a link").click();
  const link = await host.page.getByLabel("Link of the invitation").inputValue();
  const path = link.replace(server.address, "");
  const guest = await arrive("Hynek", path);
  await guest.page.getByText("Gita invites you to a game").waitFor();
  await guest.page.getByText("10 + 5, you play Black").waitFor();
  await button(guest.page, "Play").click();
  for (const { page } of [host, guest]) await page.getByRole("grid").waitFor();
  // A premove: made ready while White thinks, played at once, by keyboard taken back before.
  await move(guest.page, "e7", "e5");
  expect(await square(guest.page, "e5").getAttribute("class")).toContain("premove");
  await guest.page.keyboard.press("Escape");
  expect(await square(guest.page, "e5").getAttribute("class")).not.toContain("premove");
  await move(guest.page, "e7", "e5");
  await move(host.page, "e2", "e4");
  await expect.poll(() => plies(host.page)).toEqual(["e4", "e5"]);
  // One that has become impossible is dropped.
  await move(guest.page, "d7", "c6");
  await move(host.page, "d2", "d4");
  await guest.page.locator(".notice").getByText("is no longer possible").waitFor();
  await button(host.page, "Ask to take back").click();
  await button(guest.page, "Accept").click();
  await expect.poll(() => plies(guest.page)).toEqual(["e4", "e5"]);
  const address = new URL(host.page.url());
  const watcher = await arrive("Ivan", address.pathname + address.search);
  await expect.poll(() => plies(watcher.page)).toEqual(["e4", "e5"]);
  await host.page.getByText("1 person watches").waitFor();
  expect(await watcher.page.getByRole("button", { name: "Resign" }).count()).toBe(0);
  await move(host.page, "g1", "f3");
  await expect.poll(() => plies(watcher.page)).toEqual(["e4", "e5", "Nf3"]);
  await button(guest.page, "Resign").click();
  await button(guest.page, "Resign: sure?").click();
  await sheet(watcher.page).waitFor();
  // A link that was used is no longer good.
  const late = await arrive("Jana", path);
  await late.page.getByText("This invitation is no longer open").first().waitFor();
  expect([...host.errors, ...guest.errors, ...watcher.errors]).toEqual([]);
});

test("the move can be confirmed first", async () => {
  const [white, black] = await sitDown(["Karol", "Lenka"]);
  await white.page.evaluate(() => {
    const kept = JSON.parse(localStorage.getItem("castellan.settings") ?? "{}") as object;
    localStorage.setItem("castellan.settings", JSON.stringify({ ...kept, confirm: true }));
  });
  await white.page.reload();
  await white.page.getByRole("grid").waitFor();
  await move(white.page, "e2", "e4");
  expect(await square(white.page, "e4").getAttribute("aria-label")).toContain("white pawn");
  expect(await plies(black.page)).toEqual([]);
  await button(white.page, "Cancel").click();
  expect(await square(white.page, "e4").getAttribute("aria-label")).toContain("empty");
  await move(white.page, "d2", "d4");
  await button(white.page, "Play this move").click();
  await expect.poll(() => plies(black.page)).toEqual(["d4"]);
  await button(black.page, "Call the game off").click();
  await sheet(white.page).waitFor();
  expect(await sheet(white.page).textContent()).toContain("The game was called off");
});

test("an account protects a name and plays rated games", async () => {
  const one = await arrive("Milan");
  await button(one.page, "Sign in").click();
  await button(one.page, "I have no account yet").click();
  const dialog = one.page.getByRole("dialog");
  await dialog.getByLabel("Password").fill("a long and rare sentence");
  await dialog.getByRole("button", { name: "Open an account" }).click();
  await button(one.page, "Sign out").waitFor();
  await one.page.getByLabel("Rated game").first().check();
  await axe(one.page);
  const thief = await arrive("Milan");
  await thief.page.getByLabel("Your name").waitFor();
  await button(thief.page, "Go on").click();
  await thief.page.getByRole("alert").getByText("This name belongs to somebody else").waitFor();
  await thief.page.getByLabel("Your name").fill("Norbert");
  await button(thief.page, "Go on").click();
  await thief.page.getByText("You play as").waitFor();
  await button(one.page, "Sign out").click();
  await one.page.getByLabel("Your name").waitFor();
});

test("what goes on is told: people in the lobby, games to watch, a game to go on with", async () => {
  const [white, black] = await sitDown(["Petra", "Quido"]);
  const onlooker = await arrive("Rudo", "/server");
  await onlooker.page.getByRole("button", { name: /Watch (Petra – Quido|Quido – Petra)/ }).click();
  await onlooker.page.getByRole("grid").waitFor();
  await white.page.goto(`${server.address}/`);
  await white.page.getByRole("link", { name: "Continue your game" }).click();
  await white.page.getByRole("grid").waitFor();
  await onlooker.page.goto(`${server.address}/online`);
  await onlooker.page.getByText("1 game is being played").waitFor();
  await button(black.page, "Call the game off").click();
  await sheet(white.page).waitFor();
  await white.page.goto(`${server.address}/`);
  await white.page.getByRole("heading", { name: "A quiet game of chess" }).waitFor();
  expect(await white.page.getByRole("link", { name: "Continue your game" }).count()).toBe(0);
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
  await page.getByRole("region", { name: "Results of eva" }).waitFor();
  await page.getByLabel("Filter by name").fill("");
  await button(page, "Show").click();
  await expect.poll(() => table.getByRole("row").count()).toBe(all);
  await page.getByRole("table", { name: "The ten longest games" }).waitFor();
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
  await button(page, "Start the game").click();
  await move(page, "e2", "e4");
  expect(await plies(page)).toEqual(["e4"]);
});
