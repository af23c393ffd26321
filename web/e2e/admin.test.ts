/** The page for moderators: every act works, is told, and is in the audit log. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { objectionsInBothThemes } from "./browser";
import { arrive, axe, button, close, open, play, register, resign, server, sheet, sitDown } from "./seats";

beforeAll(open);
afterAll(close);

/** Waits until the newest entry of the audit log has an action and a text. */
async function logged(page: Page, action: string, text: string | RegExp): Promise<void> {
  const newest = page.getByRole("region", { name: "Audit log" }).getByRole("listitem").first();
  await newest.filter({ has: page.locator(`[data-action=${action}]`), hasText: text }).waitFor();
}

/** Presses a button and then confirms with the button of this name in the dialog. */
async function confirmed(page: Page, name: string, yes: string): Promise<void> {
  await button(page, name).click();
  await page.getByRole("dialog").getByRole("button", { name: yes, exact: true }).click();
}

const region = (page: Page, name: string) => page.getByRole("region", { name });

/** Opens the page for moderators as a new one. */
async function moderator(name: string, settings: object = {}): Promise<{ page: Page; errors: string[] }> {
  const seat = await arrive(name, "/online", settings);
  await register(seat.page);
  server.admin("make-admin", name);
  await seat.page.goto(`${server.address}/online`);
  await button(seat.page, "Moderation").click();
  await region(seat.page, "Audit log").waitFor();
  return seat;
}

test("an account is found, banned until a date, unbanned, given a new password and deleted", async () => {
  const bruno = await arrive("Bruno");
  await register(bruno.page);
  const { page, errors } = await moderator("Ada");
  const accounts = region(page, "Accounts");
  // The keyboard is enough.
  await accounts.getByLabel("Part of the name").fill("run");
  await page.keyboard.press("Enter");
  await accounts.getByText("Bruno").first().waitFor();
  await expect.poll(() => accounts.getByRole("listitem").count()).toBe(1);
  await button(page, "Ban Bruno").focus();
  await page.keyboard.press("Enter");
  const bans = region(page, "Bans");
  const target = bans.getByLabel("Name or address");
  await expect.poll(() => target.evaluate((it) => it === document.activeElement)).toBe(true);
  await expect.poll(() => target.inputValue()).toBe("Bruno");
  await bans.getByLabel("Duration").selectOption("until a date");
  await bans.getByLabel("Reason").fill("<b>insults</b>");
  await bans.getByRole("button", { name: "Ban", exact: true }).click();
  await bans.getByRole("alert").getByText("Fill in “End of the ban”.").waitFor();
  await bans.getByLabel("End of the ban").fill("2020-01-31T18:00");
  await page.keyboard.press("Enter");
  await bans.getByRole("alert").getByText("The end of the ban is in the past.").waitFor();
  await bans.getByLabel("End of the ban").fill("2099-01-31T18:00");
  await page.keyboard.press("Enter");
  await bans.getByRole("status").getByText("Banned: Bruno").waitFor();
  await logged(page, "ban", /Ada.*Ban.*Bruno.*until.*2099.*: <b>insults<\/b>/s);
  await bruno.page.getByText(/You are banned from this server.*2099.*insults/).first().waitFor();
  await accounts.getByText("banned").waitFor();
  await axe(page);
  await button(page, "Remove ban: Bruno").click();
  await bans.getByRole("status").getByText("Ban removed: Bruno").waitFor();
  await logged(page, "unban", "Bruno");
  expect(server.admin("bans")).toContain("no bans");

  await confirmed(page, "Create a password code: Bruno", "Create a password code");
  const code = (await accounts.getByRole("group", { name: "Code for Bruno" }).locator("output").textContent()) ?? "";
  await logged(page, "reset-password", "Bruno");
  const elsewhere = await arrive("Cyprian");
  await button(elsewhere.page, "Sign in").click();
  const dialog = elsewhere.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Forgot your password?" }).click();
  await dialog.getByLabel("Your name").fill("Bruno");
  await dialog.getByLabel("New password").fill("an even rarer sentence");
  await dialog.getByLabel("Recovery code").fill(code);
  await dialog.getByRole("button", { name: "Set a new password" }).click();
  await dialog.getByText("You can sign in now").waitFor();

  await confirmed(page, "Delete account: Bruno", "Delete permanently");
  await accounts.getByRole("status").getByText("Account deleted: Bruno").waitFor();
  await logged(page, "delete-account", "Ada");
  expect(server.admin("accounts")).not.toContain("Bruno");
  // Neither admins nor the moderator can be acted against here.
  await accounts.getByLabel("Part of the name").fill("");
  await page.keyboard.press("Enter");
  await accounts.getByText("Ada").first().waitFor();
  expect(await accounts.getByRole("button", { name: /Delete account|Ban/ }).count()).toBe(0);
  // The browser reports the ban that was refused.
  expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
});

test("registration is closed, opened by code and opened again", async () => {
  const { page, errors } = await moderator("Beata");
  const registration = region(page, "Registration");
  const set = async (mode: string) => {
    await registration.getByRole("radio", { name: mode }).check();
    await registration.getByRole("button", { name: "Save" }).click();
    await registration.getByRole("status").getByText("Done.").waitFor();
    await logged(page, "registration", mode);
  };
  expect(await registration.getByRole("radio", { name: "Everyone" }).isChecked()).toBe(true);
  await set("Nobody");
  expect(server.admin("registration")).toContain("closed");
  await set("People with an invitation code");
  await registration.getByLabel("Number of accounts").fill("2");
  await registration.getByLabel("Valid for (days)").fill("7");
  await registration.getByRole("button", { name: "Create an invitation code" }).click();
  const code = (await registration.getByRole("group", { name: "Invitation code" }).locator("output").textContent()) ?? "";
  await logged(page, "invite", "2 accounts, 7 days");
  await axe(page);
  const guest = await arrive("Cyril");
  await button(guest.page, "Sign in").click();
  await button(guest.page, "I don't have an account yet").click();
  const dialog = guest.page.getByRole("dialog");
  await dialog.getByLabel("Password").fill("a long and rare sentence");
  await dialog.getByLabel("Invitation code").fill(code);
  await dialog.getByRole("button", { name: "Create account" }).click();
  await button(guest.page, "Sign out").waitFor();
  await set("Everyone");
  await page.getByLabel("Message", { exact: true }).fill("The server restarts at eight.");
  await button(page, "Send").click();
  await guest.page.getByRole("complementary").getByText("The server restarts at eight.").waitFor();
  await logged(page, "message", "The server restarts at eight.");
  expect([...errors, ...guest.errors]).toEqual([]);
});

test("the chat of a game is deleted, and then the game", async () => {
  const [white, black] = await sitDown(["Denis", "Erik"]);
  await play(white.page, black.page, [["e2", "e4"], ["e7", "e5"]]);
  const link = white.page.url();
  const game = new URL(link).searchParams.get("game") ?? "";
  for (const { page } of [white, black]) {
    await page.getByLabel("Write a message").fill("something rude");
    await page.keyboard.press("Enter");
  }
  // They are also read aloud, so there may be more than two.
  await expect.poll(() => white.page.getByText("something rude").count()).toBeGreaterThan(1);
  const { page, errors } = await moderator("Frida");
  const games = region(page, "Games and chat");
  const field = games.getByLabel("Game ID or link to the game");
  await field.fill("nothing");
  await button(page, "Delete chat").click();
  await games.getByRole("alert").getByText("neither a game ID nor a link").waitFor();
  await field.fill(game);
  await confirmed(page, "Delete game", "Delete game");
  await games.getByRole("alert").getByText("has not ended").waitFor();
  await field.fill(link);
  await confirmed(page, "Delete chat", "Delete chat");
  await games.getByRole("status").getByText("2 chat messages deleted.").waitFor();
  await logged(page, "delete-chat", game);
  await axe(page);
  await white.page.reload();
  await white.page.getByLabel("Write a message").waitFor();
  await expect.poll(() => white.page.getByText("something rude").count()).toBe(0);
  await resign(white.page);
  await sheet(black.page).waitFor();
  await confirmed(page, "Delete game", "Delete game");
  await games.getByRole("status").getByText(`Game deleted: ${game}`).waitFor();
  await logged(page, "delete-game", game);
  // Nobody sees it by its link, and the history has neither the game nor its players.
  const late = await arrive("Greta");
  await late.page.goto(link);
  await late.page.getByText("This game does not exist").first().waitFor();
  expect((await fetch(`${server.address}/api/games/${game}`)).status).toBe(404);
  const history = (await (await fetch(`${server.address}/api/games?name=Denis`)).json()) as { games: unknown[] };
  expect(history.games).toEqual([]);
  expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
});

test("the page fits a phone in every language", { timeout: 300_000 }, async () => {
  const { page, errors } = await moderator("Hana");
  server.admin("ban", "--address", "2001:db8:1234:5678::/64", "--for", "7d", "--reason", "a".repeat(200));
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByLabel("Part of the name").fill("");
  for (const language of ["en", "sk", "cs", "pl", "fi"]) {
    await page.evaluate((language) => {
      const kept = JSON.parse(localStorage.getItem("castellan.settings") ?? "{}") as object;
      localStorage.setItem("castellan.settings", JSON.stringify({ ...kept, language }));
    }, language);
    await page.reload();
    await expect.poll(() => page.locator("html").getAttribute("lang")).toBe(language);
    await page.locator("[data-action=ban]").first().waitFor();
    await page.locator("input[type=search]").press("Enter");
    await page.locator("section[aria-labelledby=admin-accounts]").getByText("Hana").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), language).toBe(360);
    expect(await objectionsInBothThemes(page), language).toEqual([]);
  }
  expect(errors).toEqual([]);
});
