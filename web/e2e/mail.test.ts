/** An e-mail address is added to an account, and gets its owner a new password. */

import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { launch, visit } from "./browser";
import { Castellan } from "./castellan";
import { axe, button, register } from "./seats";

/** A mail server that accepts every message and keeps it. */
class MailServer {
  readonly #listener = createServer((socket) => this.#talk(socket));
  /** Messages as they arrived, with their headers. */
  readonly messages: string[] = [];

  async open(): Promise<string> {
    await new Promise<void>((done) => this.#listener.listen(0, "127.0.0.1", done));
    return `smtp://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
  }

  #talk(socket: Socket): void {
    let heard = "";
    let isMessage = false;
    socket.on("error", () => {});
    socket.write("220 test\r\n");
    socket.on("data", (bytes: Buffer) => {
      heard += bytes.toString();
      for (;;) {
        const end = heard.indexOf(isMessage ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const said = heard.slice(0, end);
        heard = heard.slice(end + (isMessage ? 5 : 2));
        if (isMessage) this.messages.push(said);
        const isOpening = !isMessage && /^DATA$/i.test(said);
        const isLast = !isMessage && /^QUIT$/i.test(said);
        isMessage = isOpening;
        socket.write(isOpening ? "354 go on\r\n" : isLast ? "221 bye\r\n" : "250 fine\r\n");
        if (isLast) socket.end();
      }
    });
  }

  /** Waits for the message with this number, and returns its recipient and the code in it. */
  async code(index: number): Promise<{ to: string; code: string }> {
    await expect.poll(() => this.messages.length).toBeGreaterThan(index);
    const message = this.messages[index] ?? "";
    const to = /^To: (.*)$/m.exec(message)?.[1]?.trim() ?? "";
    const code = /(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}/.exec(message)?.[0] ?? "";
    return { to, code };
  }

  async close(): Promise<void> {
    await new Promise((done) => this.#listener.close(done));
  }
}

const mail = new MailServer();
const words: string[] = [];
const server = new Castellan(words);
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
  words.push("--smtp", await mail.open(), "--mail-from", "Castellan <chess@example.org>");
  await server.start();
});

afterAll(async () => {
  await browser.close();
  await server.close();
  await mail.close();
});

test("an address is confirmed, and then helps to set a new password", async () => {
  const { page, errors } = await visit(browser, "/online", { address: server.address, settings: { onlineName: "Hana" } });
  await register(page);
  await button(page, "Account").click();
  const dialog = page.getByRole("dialog");
  const press = (name: string) => dialog.getByRole("button", { name, exact: true }).click();
  await dialog.getByText("No e-mail address.").waitFor();
  await press("Add an e-mail address");
  await dialog.getByLabel("E-mail address").fill("hana");
  await press("Send a code by e-mail");
  await dialog.getByRole("alert").getByText("Fill in “Your password, to confirm”.").waitFor();
  await dialog.getByLabel("Your password, to confirm").fill("a long and rare sentence");
  await press("Send a code by e-mail");
  await dialog.getByRole("alert").getByText("e-mail address").waitFor();
  await dialog.getByLabel("E-mail address").fill("hana@example.org");
  await axe(page);
  await press("Send a code by e-mail");
  await dialog.getByText("We sent a code to hana@example.org").waitFor();
  const first = await mail.code(0);
  expect(first.to).toBe("hana@example.org");
  await dialog.getByLabel("Code from the e-mail").fill(first.code);
  await axe(page);
  await press("Confirm the address");
  await dialog.getByText("E-mail address: hana@example.org").waitFor();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await button(page, "Sign out").click();

  await button(page, "Sign in").click();
  await press("Forgot your password?");
  await press("Send a code by e-mail");
  await dialog.getByLabel("Your name or e-mail address").fill("hana@example.org");
  await axe(page);
  await press("Send a code by e-mail");
  await dialog.getByText("a code is on its way").waitFor();
  const second = await mail.code(1);
  expect(second.to).toBe("hana@example.org");
  await dialog.getByLabel("Your name").fill("Hana");
  await dialog.getByLabel("New password").fill("an even rarer sentence");
  await dialog.getByLabel("Code").fill(second.code.toLowerCase());
  await press("Set a new password");
  await dialog.getByText("You can sign in now").waitFor();
  await dialog.getByLabel("Password").fill("an even rarer sentence");
  await press("Sign in");
  await button(page, "Sign out").waitFor();
  expect(server.admin("audit")).toMatch(/recover.*Hana/);

  await button(page, "Account").click();
  await press("Remove the e-mail address");
  await dialog.getByLabel("Your password, to confirm").fill("an even rarer sentence");
  await press("Remove the e-mail address");
  await dialog.getByText("No e-mail address.").waitFor();
  expect(mail.messages.length).toBe(2);
  // The browser reports the address that was refused.
  expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
});
