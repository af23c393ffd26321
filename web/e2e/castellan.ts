/** The real server with the built page, as a process that tests can kill and restart. */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import type { Browser, Page } from "playwright-core";
import { newContext } from "./browser";

export const BINARY = process.env["CASTELLAN_BINARY"] ?? "../target/debug/castellan";

/** Makes the program serve the page that was built last, whichever it contains. */
const PAGE = ["--page", "dist"];

/**
 * A proxy whose address stays the same while the server behind it restarts.
 *
 * When a server is killed, its port becomes free, and another program may take it before the server
 * starts again. The proxy keeps its port all the time; each server listens on a port of its own.
 */
class FrontDoor {
  readonly #sockets = new Set<Socket>();
  readonly #listener = createServer((client) => this.#connect(client));
  /** Port of the running server; `null` if there is none. */
  port: number | null = null;

  /** Starts listening on a free port and returns the address. */
  async open(): Promise<string> {
    await new Promise<void>((done) => this.#listener.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
  }

  #connect(client: Socket): void {
    if (this.port === null) {
      client.destroy();
      return;
    }
    const server = connect(this.port, "127.0.0.1");
    for (const [from, to] of [[client, server], [server, client]] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => {});
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#listener.close(done));
  }
}

export class Castellan {
  readonly #folder = mkdtempSync(join(tmpdir(), "castellan-e2e-"));
  readonly #door = new FrontDoor();
  #process: ChildProcess | null = null;
  address = "";

  /** Creates a server with options of its own, which is not started yet. */
  constructor(readonly words: string[] = []) {}

  /** Starts the server, at the same address as before. */
  async start(): Promise<void> {
    if (!existsSync(BINARY)) throw new Error(`there is no server at ${BINARY}; CASTELLAN_BINARY names it`);
    this.address ||= await this.#door.open();
    const child = spawn(
      BINARY,
      ["serve", ...PAGE, "--listen", "127.0.0.1:0", "--data", this.#folder, "--unlimited", "127.0.0.1", ...this.words],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    this.#process = child;
    this.#door.port = Number(new URL(await listening(child)).port);
  }

  /** Runs a command of `castellan admin` and returns what it prints. */
  admin(...words: string[]): string {
    return execFileSync(BINARY, ["admin", "--data", this.#folder, ...words], { encoding: "utf8" });
  }

  /** Kills the server without warning, like a power failure. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    this.#door.port = null;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#door.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns the address that the server prints when it starts. */
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

/** The program as a user starts it for themselves, with another engine available. */
export class OwnCastellan {
  readonly #folder = mkdtempSync(join(tmpdir(), "castellan-play-"));
  /** Path of the other engine; it is Castellan itself, run as a UCI engine. */
  readonly engine = join(this.#folder, "engine");
  /** Address with the key in it. */
  door = "";
  ended: Promise<number | null> = Promise.resolve(null);

  async start(): Promise<void> {
    writeFileSync(this.engine, `#!/bin/sh\nexec "${resolve(BINARY)}" uci\n`, { mode: 0o755 });
    const words = ["play", ...PAGE, "--no-open", "--listen", "127.0.0.1:0", "--data", this.#folder];
    const child = spawn(BINARY, words, { stdio: ["ignore", "pipe", "ignore"] });
    this.ended = new Promise((done) => child.once("exit", done));
    this.door = await new Promise<string>((done, fail) => {
      let heard = "";
      child.stdout.on("data", (bytes: Buffer) => {
        heard += bytes.toString();
        const found = /open in your browser: (\S+)\n/.exec(heard)?.[1];
        if (found) done(found);
      });
      child.once("error", fail);
      void this.ended.then((code) => fail(new Error(`it ended with ${code}: ${heard}`)));
    });
  }

  /** Adds the engine to the list and returns the page for games against the computer. */
  async visit(browser: Browser): Promise<Page> {
    const context = await newContext(browser);
    const page = await context.newPage();
    await page.goto(this.door.replace("/#", "/computer#"));
    await page.getByRole("button", { name: "Add another engine" }).click();
    await page.locator("#engine-path").fill(this.engine);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("radio", { name: /Castellan/ }).count()).toBe(2);
    return page;
  }

  /** Quits from the page; the program must exit with success. */
  async quit(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Quit" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Quit" }).click();
    await page.getByText("You can close this page.").waitFor();
    expect(await this.ended).toBe(0);
    await page.context().close();
    rmSync(this.#folder, { recursive: true });
  }
}
