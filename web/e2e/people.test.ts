/** Opponents and identities online: the engine, invitations, accounts, ratings. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { arrive, axe, button, close, move, open, pathOf, play, plies, register, resign, server, sheet, square } from "./seats";

beforeAll(open);
afterAll(close);

test("an account protects a name and plays rated games", async () => {
  const one = await arrive("Milan");
  await register(one.page);
  await one.page.getByLabel("Rated game").first().check();
  await axe(one.page);
  const thief = await arrive("Milan");
  await thief.page.getByLabel("Your name").waitFor();
  await button(thief.page, "Continue").click();
  await thief.page.getByRole("alert").getByText("This name is taken").waitFor();
  await thief.page.getByLabel("Your name").fill("Norbert");
  await button(thief.page, "Continue").click();
  await thief.page.getByText("You play as").waitFor();
  await button(one.page, "Sign out").click();
  await one.page.getByLabel("Your name").waitFor();
});

test("the server's engine is played: a take-back, a break, a draw declined, a rematch", async () => {
  const { page, errors } = await arrive("Stefan");
  await page.getByText("Play the server's engine").click();
  const offer = page.locator("form").filter({ has: page.getByLabel("Strength") });
  await offer.getByLabel("Strength").fill("600");
  await offer.getByLabel("Your color").selectOption("white");
  await axe(page);
  await offer.getByRole("button", { name: "Start game" }).click();
  await page.getByRole("grid").waitFor();
  const engine = page.locator("[data-player=black]");
  await engine.getByText("Castellan 600").waitFor();
  await engine.getByText("Beginner").waitFor();
  const count = () => page.locator("[data-ply]").count();
  await move(page, "e2", "e4");
  await expect.poll(count).toBe(2);
  await page.reload();
  await expect.poll(count).toBe(2);
  await button(page, "Request takeback").click();
  await expect.poll(count).toBe(0);
  await move(page, "d2", "d4");
  await expect.poll(count).toBe(2);
  await button(page, "Offer draw").click();
  await page.locator(".notice").getByText("Your opponent declined the draw").waitFor();
  // A game against an engine has no chat, and the user cannot give it time.
  await expect.poll(() => page.getByLabel("Write a message").count()).toBe(0);
  await expect.poll(() => page.getByRole("button", { name: "Give time" }).count()).toBe(0);
  const address = new URL(page.url());
  const watcher = await arrive("Tibor", address.pathname + address.search);
  await watcher.page.locator("[data-player=black]").getByText("Beginner").waitFor();
  await expect.poll(() => watcher.page.locator("[data-player=white]").getByText("Beginner").count()).toBe(0);
  await resign(page);
  await expect.poll(() => sheet(page).textContent()).toMatch(/Duration: \d+:\d\d/);
  await sheet(page).getByRole("button", { name: "Rematch" }).click();
  // The engine now has White and moves first.
  await page.locator("[data-player=white]").getByText("Castellan 600").waitFor();
  await expect.poll(count).toBe(1);
  await button(page, "Abort game").click();
  await button(page, "Yes, abort").click();
  await sheet(page).waitFor();
  expect([...errors, ...watcher.errors]).toEqual([]);
});

test("an invitation is there again after a reload, until it is accepted or withdrawn", async () => {
  const host = await arrive("Urban");
  const link = host.page.getByLabel("Invitation link");
  const form = host.page.getByText("Invite a friend");
  const invite = async () => {
    await form.click();
    await host.page.getByLabel(/^Delay instead of increment/).check();
    await button(host.page, "Create link").click();
    return link.inputValue();
  };
  const first = await invite();
  await host.page.getByText("Expires:").waitFor();
  await host.page.reload();
  await expect.poll(() => link.inputValue()).toBe(first);
  // Another game in between does not cancel the invitation.
  const other = await arrive("Viktor");
  await button(host.page, "10 + 5").click();
  // The lobby tells which clock is waited for.
  await expect.poll(() => other.page.locator(".control", { hasText: "10 + 5" }).locator(".here").textContent()).toBe("1 waiting");
  await button(other.page, "10 + 5").click();
  for (const { page } of [host, other]) await page.getByRole("grid").waitFor();
  const isHostWhite = (await host.page.locator("[data-player]").last().getAttribute("data-player")) === "white";
  const [white, black] = isHostWhite ? [host, other] : [other, host];
  // The server soon aborts a game without moves.
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"]]);
  const guest = await arrive("Zuzana", pathOf(first));
  await guest.page.getByText("10 d5").waitFor();
  await button(guest.page, "Play").click();
  await guest.page.getByRole("grid").waitFor();
  // The host stays in the game in progress, and is told about the new one.
  await host.page.getByText("You have another game in progress").waitFor();
  const played = host.page.url();
  await button(host.page, "Return to game").click();
  await expect.poll(() => host.page.url()).not.toBe(played);
  await expect.poll(() => host.page.locator("[data-player]").allTextContents()).toContainEqual(expect.stringContaining("Zuzana"));
  await button(guest.page, "Abort game").click();
  await button(guest.page, "Yes, abort").click();
  await resign(other.page);
  await sheet(host.page).waitFor();
  await host.page.goto(`${server.address}/online`);
  await form.waitFor();
  await expect.poll(() => link.count()).toBe(0);
  await expect.poll(() => host.page.getByRole("alert").count()).toBe(0);
  const second = await invite();
  expect(second).not.toBe(first);
  await host.page.reload();
  await button(host.page, "Cancel invitation").click();
  await form.waitFor();
  await host.page.reload();
  await form.waitFor();
  const late = await arrive("Alena", pathOf(second));
  await late.page.getByRole("alert").getByText("This invitation is no longer open").waitFor();
  await expect.poll(() => link.count()).toBe(0);
  expect([...host.errors, ...guest.errors, ...other.errors, ...late.errors]).toEqual([]);
});

test("Chess960 by invitation: the guest is told, and both castle onto their rooks", async () => {
  const host = await arrive("Magda");
  await host.page.getByText("Invite a friend").click();
  await host.page.getByRole("radio", { name: "Chess960" }).first().check();
  await host.page.getByLabel("Number").first().fill("59");
  await host.page.getByLabel("Your color").first().selectOption("White");
  await button(host.page, "Create link").click();
  const link = await host.page.locator("#invitation-link").inputValue();
  const guest = await arrive("Norbert", pathOf(link));
  await guest.page.getByText("Chess960").first().waitFor();
  await button(guest.page, "Play").click();
  await play(host.page, guest.page, [["f1", "g1"], ["f8", "g8"]]);
  await expect.poll(() => plies(host.page)).toEqual(["O-O", "O-O"]);
  await expect.poll(() => square(guest.page, "g1").getAttribute("aria-label")).toContain("white king");
  await guest.page.reload();
  await expect.poll(() => plies(guest.page)).toEqual(["O-O", "O-O"]);
  await resign(guest.page);
  await sheet(host.page).waitFor();
  expect([...host.errors, ...guest.errors]).toEqual([]);
});

test("touch-move by invitation: what is touched moves or is captured, and nothing is taken back", async () => {
  const host = await arrive("Petra");
  await host.page.getByText("Invite a friend").click();
  await host.page.getByLabel("Touch-move rule").first().check();
  await host.page.getByLabel("Your color").first().selectOption("White");
  await button(host.page, "Create link").click();
  const link = await host.page.locator("#invitation-link").inputValue();
  const guest = await arrive("Rudolf", pathOf(link));
  await guest.page.getByText("touch-move").first().waitFor();
  await button(guest.page, "Play").click();
  await play(host.page, guest.page, [["e2", "e4"], ["d7", "d5"]]);
  await expect.poll(() => plies(host.page)).toEqual(["e4", "d5"]);
  await square(host.page, "d5").click();
  await expect.poll(() => host.page.locator(".notice").textContent()).toContain("the piece on d5 must be captured");
  for (const name of ["g1", "f3"]) await square(host.page, name).click();
  expect(await plies(host.page)).toEqual(["e4", "d5"]);
  await move(host.page, "e4", "d5");
  await expect.poll(() => plies(guest.page)).toEqual(["e4", "d5", "exd5"]);
  // The game is on and moves were made, but no takeback can be requested.
  await button(host.page, "Resign").waitFor();
  await expect.poll(() => button(host.page, "Request takeback").count()).toBe(0);
  await resign(guest.page);
  await sheet(host.page).waitFor();
  expect([...host.errors, ...guest.errors]).toEqual([]);
});

test("a rated game between two accounts changes both ratings, and is counted", async () => {
  const seats = [await arrive("Cecil"), await arrive("Dora")] as const;
  for (const { page } of seats) {
    await register(page);
    await page.getByLabel("Rated game").first().check();
    await button(page, "10 + 5").click();
  }
  for (const { page } of seats) await page.getByRole("grid").waitFor();
  const isFirstWhite = (await seats[0].page.locator("[data-player]").last().getAttribute("data-player")) === "white";
  const [white, black] = isFirstWhite ? seats : [seats[1], seats[0]];
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"]]);
  await resign(black.page);
  const told = async (page: Page, color: string) => (await page.locator(`[data-player=${color}] .name`).textContent()) ?? "";
  for (const { page } of seats) {
    await sheet(page).waitFor();
    await expect.poll(() => told(page, "white")).toMatch(/\d+ \(\+\d+\)/);
    await expect.poll(() => told(page, "black")).toMatch(/\d+ \(−\d+\)/);
  }
  await expect.poll(() => told(black.page, "white")).toBe(await told(white.page, "white"));
  const rating = / (\d+) \(/.exec(await told(white.page, "white"))?.[1] ?? "none";
  // The new rating shows without reloading the page.
  await sheet(white.page).getByRole("button", { name: "New game" }).click();
  await white.page.getByText(`Rapid ${rating}`).waitFor();
  const winner = isFirstWhite ? "Cecil" : "Dora";
  await white.page.goto(`${server.address}/server`);
  await white.page.getByLabel("Filter by name").fill(winner);
  await white.page.keyboard.press("Enter");
  const results = white.page.getByRole("region", { name: `${winner}'s results` });
  await results.getByText(`Rapid ${rating}`).waitFor();
  await expect.poll(() => results.getByRole("row", { name: /^White/ }).getByRole("cell").allTextContents()).toEqual(["1", "0", "0"]);
  await expect.poll(() => results.getByRole("row", { name: /^Black/ }).getByRole("cell").allTextContents()).toEqual(["0", "0", "0"]);
  const row = white.page.getByRole("table", { name: "All games" }).getByRole("row").filter({ hasText: winner });
  await expect.poll(() => row.textContent()).toContain("1–0");
  expect([...white.errors, ...black.errors]).toEqual([]);
});

test("the owner of an account changes the password and signs out elsewhere", async () => {
  const here = await arrive("Emil");
  await register(here.page);
  const there = await arrive("Fedor");
  const signIn = async (password: string) => {
    await button(there.page, "Sign in").click();
    const dialog = there.page.getByRole("dialog");
    await dialog.getByLabel("Your name").fill("Emil");
    await dialog.getByLabel("Password").fill(password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await button(there.page, "Sign out").waitFor();
  };
  await signIn("a long and rare sentence");
  await button(here.page, "Account").click();
  const dialog = here.page.getByRole("dialog");
  await dialog.getByText("this browser").waitFor();
  await axe(here.page);
  await dialog.getByRole("button", { name: "End session" }).click();
  await there.page.getByText("Your session has ended").first().waitFor();
  await expect.poll(() => dialog.getByRole("listitem").count()).toBe(1);
  // The page itself says which field is empty; the browser would say it in its own language.
  const changePassword = dialog.getByRole("button", { name: "Change password" });
  await changePassword.click();
  await dialog.getByRole("alert").getByText("Fill in “Current password”.").waitFor();
  await dialog.getByLabel("Current password").fill("not this one at all");
  await changePassword.click();
  await dialog.getByRole("alert").getByText("Fill in “New password”.").waitFor();
  await expect.poll(() => dialog.getByLabel("New password").evaluate((it) => it === document.activeElement)).toBe(true);
  await dialog.getByLabel("New password").fill("an even rarer sentence");
  await changePassword.click();
  await dialog.getByRole("alert").getByText("Wrong name or password").waitFor();
  await dialog.getByLabel("Current password").fill("a long and rare sentence");
  await changePassword.click();
  await dialog.getByText("Password changed").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await button(here.page, "Sign out").waitFor();
  await button(there.page, "Try again").click();
  await signIn("an even rarer sentence");
});

test("a player is reported and banned, and an account is recovered and deleted", async () => {
  const here = await arrive("Gustav");
  await register(here.page);
  const there = await arrive("Hugo");
  for (const { page } of [here, there]) await button(page, "10 + 5").click();
  for (const { page } of [here, there]) await page.getByRole("grid").waitFor();
  await button(here.page, "Report Hugo").click();
  const report = here.page.getByRole("dialog");
  await report.getByLabel("Tell the moderators what happened").fill("He writes <b>insults</b>.");
  await axe(here.page);
  await report.getByRole("button", { name: "Send report" }).click();
  await report.getByText("The moderators will look at it").waitFor();
  await report.getByRole("button", { name: "Close" }).click();
  expect(server.admin("reports")).toContain("Gustav");
  server.admin("message", "Please be kind.");
  await there.page.getByRole("complementary").getByText("Please be kind.").waitFor();
  await axe(there.page);
  await button(there.page, "Close").click();
  server.admin("ban", "--name", "Hugo", "--for", "1h", "--reason", "insults");
  await there.page.getByText(/You are banned from this server.*until.*insults/).first().waitFor();
  await there.page.goto(`${server.address}/online`);
  await there.page.getByText(/You are banned from this server.*until.*insults/).first().waitFor();

  // Gustav becomes an admin, closes the report and lifts the ban.
  server.admin("make-admin", "Gustav");
  await here.page.goto(`${server.address}/online`);
  await button(here.page, "Moderation").click();
  await here.page.getByText("He writes <b>insults</b>.").waitFor();
  await axe(here.page);
  await button(here.page, "Close report").click();
  await button(here.page, "Remove ban: Hugo").click();
  await here.page.locator("[data-action=close-report]").waitFor();
  await expect.poll(() => button(here.page, "Remove ban: Hugo").count()).toBe(0);
  await button(here.page, "Ban").click();
  await here.page.getByRole("alert").getByText("Fill in “Name or address”.").waitFor();
  await here.page.getByLabel("Name or address").fill("0.0.0.0/0");
  await here.page.getByLabel("What to ban").selectOption("address");
  await button(here.page, "Ban").click();
  await here.page.getByRole("alert").getByText("too large").waitFor();
  await there.page.goto(`${server.address}/admin`);
  await there.page.getByText("This page is for the moderators").waitFor();

  await here.page.goto(`${server.address}/online`);
  await button(here.page, "Account").click();
  const dialog = here.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create recovery codes" }).click();
  await dialog.getByLabel("Your password, to confirm").fill("a long and rare sentence");
  await dialog.getByRole("button", { name: "Create recovery codes" }).click();
  const codes = dialog.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect.poll(() => codes.count()).toBe(10);
  const code = (await codes.first().textContent()) ?? "";
  await dialog.getByText("10 recovery codes left").waitFor();
  await dialog.getByRole("button", { name: "Use an authenticator app" }).click();
  await dialog.getByText(/^[A-Z2-7]{32}$/).waitFor();
  await axe(here.page);
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await button(here.page, "Sign out").click();
  await button(here.page, "Sign in").click();
  await dialog.getByRole("button", { name: "Forgot your password?" }).click();
  await dialog.getByLabel("Your name").fill("Gustav");
  await dialog.getByLabel("New password").fill("an even rarer sentence");
  await dialog.getByLabel("Recovery code").fill(code.toLowerCase());
  await axe(here.page);
  await dialog.getByRole("button", { name: "Set a new password" }).click();
  await dialog.getByText("You can sign in now").waitFor();
  await dialog.getByLabel("Password").fill("an even rarer sentence");
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await button(here.page, "Account").click();
  const downloading = here.page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download your data" }).click();
  expect((await downloading).suggestedFilename()).toBe("castellan-Gustav.json");
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await dialog.getByLabel("Your password, to confirm").fill("an even rarer sentence");
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await here.page.getByLabel("Your name").waitFor();
  expect(server.admin("accounts")).not.toContain("Gustav");
  // The browser reports the ban that was refused.
  expect(here.errors.filter((error) => !error.includes("422"))).toEqual([]);
});
