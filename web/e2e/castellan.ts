/** The real server with the page inside, as a process that can be killed and started again. */

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import type { Browser, Page } from "playwright-core";

export const BINARY = process.env["CASTELLAN_BINARY"] ?? "../target/debug/castellan";

export class Castellan {
  readonly #folder = mkdtempSync(join(tmpdir(), "castellan-e2e-"));
  #process: ChildProcess | null = null;
  #listen = "127.0.0.1:0";
  address = "";

  /** Starts it, at the address it had before if there was one. */
  async start(): Promise<void> {
    if (!existsSync(BINARY)) throw new Error(`there is no server at ${BINARY}; CASTELLAN_BINARY names it`);
    const child = spawn(BINARY, ["serve", "--listen", this.#listen, "--data", this.#folder, "--unlimited", "127.0.0.1"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#process = child;
    this.address = await listening(child);
    this.#listen = this.address.replace("http://", "");
  }

  /** Ends it without a word, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The address from the first line that the server writes. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = "";
    child.stdout?.on("data", (bytes: Buffer) => {
      heard += bytes.toString();
      const found = /listening on (\S+)/.exec(heard);
      if (found?.[1]) resolve(found[1]);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

/** The program as somebody starts it for themselves, with an engine beside it that is somebody else's. */
export class OwnCastellan {
  readonly #folder = mkdtempSync(join(tmpdir(), "castellan-play-"));
  /** Castellan can be somebody else's engine as well as any. */
  readonly engine = join(this.#folder, "engine");
  /** The address with the key in it. */
  door = "";
  ended: Promise<number | null> = Promise.resolve(null);

  async start(): Promise<void> {
    writeFileSync(this.engine, `#!/bin/sh\nexec "${resolve(BINARY)}" uci\n`, { mode: 0o755 });
    const words = ["play", "--no-open", "--listen", "127.0.0.1:0", "--data", this.#folder];
    const child = spawn(BINARY, words, { stdio: ["ignore", "pipe", "ignore"] });
    this.ended = new Promise((done) => child.once("exit", done));
    this.door = await new Promise<string>((done, fail) => {
      let heard = "";
      child.stdout.on("data", (bytes: Buffer) => {
        heard += bytes.toString();
        const found = /your page is (\S+)\n/.exec(heard)?.[1];
        if (found) done(found);
      });
      child.once("error", fail);
      void this.ended.then((code) => fail(new Error(`it ended with ${code}: ${heard}`)));
    });
  }

  /** Its page, where a game against the computer begins, once the engine is in its list. */
  async visit(browser: Browser): Promise<Page> {
    const context = await browser.newContext({ locale: "en-GB", serviceWorkers: "block" });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    await page.goto(this.door.replace("/#", "/computer#"));
    await page.getByRole("button", { name: "Another engine on this machine" }).click();
    await page.locator("#engine-path").fill(this.engine);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("radio", { name: /Castellan/ }).count(), { timeout: 20_000 }).toBe(2);
    return page;
  }

  /** Quits on the page; the program has to end well. */
  async quit(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Quit" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Quit" }).click();
    await page.getByText("You may close this page.").waitFor();
    expect(await this.ended).toBe(0);
    await page.context().close();
    rmSync(this.#folder, { recursive: true });
  }
}
