/** The socket reconnects by itself, with growing delays, and stays closed where it should. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "../src/net/connection.svelte";
import { pauseMs } from "../src/net/pauses";
import type { ServerMessage } from "../src/net/protocol";
import { ServerClock } from "../src/net/server-clock";

class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: unknown[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 3;
  }

  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  /** Accepts the connection and sends the welcome message. */
  greet(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
    this.say({ type: "welcome", data: { version: 1, you: { name: "Anna", is_guest: true }, games: [], at: 5 } });
  }

  lose(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

const json = (body: object, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const ANNA = { player: 1, name: "Anna", is_account: false, ratings: [] };

let answer: (path: string) => Response;
const listeners = new Map<string, () => void>();

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  answer = () => json({ me: ANNA });
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { protocol: "http:", host: "localhost" });
  vi.stubGlobal("document", { addEventListener: () => {}, visibilityState: "visible" });
  vi.stubGlobal("addEventListener", (name: string, listener: () => void) => listeners.set(name, listener));
  vi.stubGlobal("fetch", async (path: string) => answer(path));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const last = () => FakeSocket.all.at(-1) ?? expect.unreachable("there is a socket");

async function connected(): Promise<{ connection: Connection; heard: ServerMessage[] }> {
  const connection = new Connection(() => "Anna");
  const heard: ServerMessage[] = [];
  connection.listen((message) => heard.push(message));
  connection.open();
  await vi.advanceTimersByTimeAsync(0);
  last().greet();
  return { connection, heard };
}

test("it says hello, is welcomed, and can then speak", async () => {
  const { connection, heard } = await connected();
  expect(last().url).toBe("ws://localhost/ws");
  expect(last().sent).toEqual([{ type: "hello", data: { version: 1 } }]);
  expect(connection.state).toBe("open");
  expect(heard.map(({ type }) => type)).toEqual(["welcome"]);
  expect(connection.send({ type: "ping", data: { id: 1 } })).toBe(true);
});

test.each([1001, 1006, 1008, 1011, 4000])("after %i it comes back by itself", async (code) => {
  const { connection } = await connected();
  last().lose(code);
  expect(connection.state).toBe("waiting");
  expect(connection.send({ type: "ping", data: { id: 1 } })).toBe(false);
  for (let step = 0; step < 300 && FakeSocket.all.length < 2; step++) await vi.advanceTimersByTimeAsync(100);
  expect(FakeSocket.all).toHaveLength(2);
  last().greet();
  expect(connection.state).toBe("open");
});

test.each([4001, 4002, 4004])("after %i it waits for the person", async (code) => {
  const { connection } = await connected();
  last().lose(code);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(FakeSocket.all).toHaveLength(1);
  expect(connection.state).toBe("over");
});

test("a banned user sees the reason, and is not connected again", async () => {
  const { connection } = await connected();
  last().say({ type: "error", data: { code: "banned", message: "banned until tomorrow: spam" } });
  last().lose(4004);
  expect([connection.state, connection.problem, connection.banText]).toEqual(["over", "banned", "banned until tomorrow: spam"]);
  // A guest who comes back is refused before there is a socket.
  answer = (path) => (path === "/api/me" ? json({ me: null }) : json({ code: "banned", message: "still banned" }, 403));
  connection.tryNow();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([connection.state, connection.banText, FakeSocket.all.length]).toEqual(["over", "still banned", 1]);
  answer = () => json({ me: ANNA });
  connection.tryNow();
  await vi.advanceTimersByTimeAsync(0);
  last().greet();
  expect([connection.state, connection.problem, connection.banText]).toEqual(["open", null, ""]);
});

test("a socket that has gone silent is given up", async () => {
  const { connection } = await connected();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeSocket.all.length).toBeGreaterThan(1);
  expect(connection.state).not.toBe("open");
});

test("nothing of an old socket is heard any more", async () => {
  const { connection, heard } = await connected();
  const old = last();
  old.lose(1006);
  await vi.advanceTimersByTimeAsync(1000);
  last().greet();
  const count = heard.length;
  old.say({ type: "pong", data: { id: 1, at: 1 } });
  old.lose(4001);
  expect(heard).toHaveLength(count);
  expect(connection.state).toBe("open");
});

test("the network comes back: it does not wait for its turn", async () => {
  await connected();
  listeners.get("offline")?.();
  listeners.get("online")?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeSocket.all).toHaveLength(2);
});

test("if no server answers, it says so and does not retry", async () => {
  answer = () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
  const connection = new Connection(() => "Anna");
  connection.open();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(connection.state).toBe("unreachable");
  expect(FakeSocket.all).toHaveLength(0);
});

test("a stranger is asked for a name, and so is a guest whose name is taken", async () => {
  answer = () => json({ me: null });
  const nameless = new Connection(() => "");
  nameless.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(nameless.state).toBe("nameless");
  answer = (path) => (path === "/api/me" ? json({ me: null }) : json({ code: "name_taken", message: "" }, 409));
  const taken = new Connection(() => "Anna");
  taken.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(taken.state).toBe("nameless");
});

test("pauses grow, are bounded, and differ from client to client", () => {
  for (let tries = 0; tries < 40; tries++) {
    const [least, most] = [pauseMs(tries, 0), pauseMs(tries, 1)];
    expect(least).toBeGreaterThanOrEqual(250);
    expect(most).toBeLessThanOrEqual(15_000);
    expect(most).toBe(2 * least);
    expect(pauseMs(tries + 1, 0.5)).toBeGreaterThanOrEqual(pauseMs(tries, 0.5));
  }
  expect(pauseMs(0, 0, true)).toBeGreaterThanOrEqual(15_000);
});

test("the fastest message tells the server's clock, late ones do not turn it back", () => {
  let local = 1000;
  const clock = new ServerClock(() => local);
  expect(clock.now()).toBe(1000);
  clock.observe(4900);
  local += 100;
  clock.observe(4950);
  expect(clock.now()).toBe(5000);
  clock.observe(5050);
  expect(clock.now()).toBe(5050);
});
