/** Reviewing games in a real browser: mistakes, variations, comments, links, pictures. */

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { ADDRESS, objectionsInBothThemes, visit } from "./browser";
import { browser, button, current, isDone, move, open, review, sans, saved, square } from "./studies";

beforeAll(open);

const MATE = '[White "Anna"]\n[Black "Boris"]\n[Result "1-0"]\n\n1. e4 {[%clk 0:05:00]} e5 {[%clk 0:04:58]} 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n';
const NOTED = '[White "Cyril"]\n\n1. e4 {[%clk 0:05:00] the king\'s pawn} (1. d4 d5 (1... Nf6 {Indian}) 2. c4 $1) 1... e5 $6 2. Nf3 *\n';

test("a game is reviewed: the blunder is found, named, and the better move shown", async () => {
  const { page, errors } = await review(MATE);
  const before = await page.getByRole("grid").boundingBox();
  await isDone(page);
  const blunder = page.locator("[data-verdict=blunder]");
  await expect.poll(() => blunder.count()).toBe(1);
  await expect.poll(() => blunder.textContent()).toMatch(/Nf6\s*\?\?/);
  await expect.poll(() => blunder.getAttribute("aria-label")).toContain("Blunder");
  // Goes from mistake to mistake until this one is shown.
  for (let step = 0; step < 3 && !(await current(page)).includes("Nf6"); step++) await button(page, "Next mistake").click();
  await expect.poll(() => current(page)).toContain("Nf6");
  const notes = page.getByRole("region", { name: "About this move" });
  await expect.poll(() => notes.textContent()).toContain("Blunder");
  await expect.poll(() => page.locator("path.better").count()).toBe(1);
  // The better move prevents the mate; playing it adds it as a variation.
  const better = (await notes.getByRole("button", { name: /^Better: / }).textContent())?.replace("Better: ", "") ?? "";
  expect(["g6", "Qe7", "Qf6", "Nh6", "d5"]).toContain(better);
  await notes.getByRole("button", { name: /^Better: / }).click();
  await expect.poll(() => current(page)).toContain(better);
  await expect.poll(() => page.locator(".aside [data-node]").count()).toBe(1);
  // The loser's mistakes are counted, and the opening is named.
  await expect.poll(() => page.locator("[data-player=black]").textContent()).toMatch(/\?\?.*1/s);
  await expect.poll(() => page.locator(".opening").textContent()).toMatch(/C2\d.+/);
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("5:00");
  await expect.poll(() => page.getByRole("grid").boundingBox()).toEqual(before);
  expect(errors).toEqual([]);
});

test("the curve is clicked, read out, and there as a table", async () => {
  const { page } = await review(MATE, { settings: { saveEvals: false } });
  await isDone(page);
  const curve = page.getByRole("slider", { name: "Evaluation graph" });
  const box = await curve.boundingBox();
  if (!box) throw new Error("no curve");
  await page.mouse.click(box.x + box.width - 2, box.y + 20);
  await expect.poll(() => current(page)).toBe("Qxf7#");
  await expect.poll(() => curve.getAttribute("aria-valuetext")).toBe("4. Qxf7#, 1–0");
  await curve.focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => curve.getAttribute("aria-valuenow")).toBe("6");
  await expect.poll(() => curve.getAttribute("aria-valuetext")).toContain("White mates in 1");
  await button(page, "Evaluation table").click();
  const row = page.getByRole("row").filter({ hasText: "Nf6" });
  await expect.poll(() => row.textContent()).toMatch(/#1.*Blunder/s);
  // The verdicts can be added to the game and saved with it.
  await button(page, "Add mistakes to the game").click();
  const file = readFileSync(await (await saved(page, "Save PGN")).path(), "utf8");
  expect(file.replace(/\s+/g, " ")).toMatch(/3\. Bc4 Nf6 \$4 \(3\.\.\. \S+ .*\) 4\. Qxf7# 1-0/);
});

test("each player has an accuracy and an average loss, and the page says how they are computed", async () => {
  const { page, errors } = await review(MATE);
  await isDone(page);
  const percent = async (color: string) => Number(/(\d+)%/.exec((await page.locator(`[data-player=${color}] .accuracy`).textContent()) ?? "")?.[1]);
  expect(await percent("white")).toBeGreaterThan(await percent("black"));
  await button(page, "Evaluation table").click();
  const dialog = page.getByRole("dialog", { name: "Evaluation table" });
  const row = dialog.getByRole("row").filter({ hasText: "Average loss in pawns" });
  const [white = 0, black = 0] = (await row.getByRole("cell").allTextContents()).map(Number);
  // Black's last move let a mate in.
  expect(black).toBeGreaterThan(2);
  expect(white).toBeLessThan(black);
  await expect.poll(() => dialog.textContent()).toContain("The accuracy is the average over a player's moves.");
  expect(errors).toEqual([]);
});

test("best lines are arrows and steps into a variation", async () => {
  const { page } = await review("1. e4 e5 2. Nf3 Nc6 *");
  await button(page, "Last move").click();
  const lines = page.getByRole("region", { name: "Best lines" });
  await expect.poll(() => lines.locator(".line").count()).toBe(3);
  await expect.poll(() => page.locator("path.hint").count()).toBe(1);
  const second = lines.locator(".line").first().getByRole("button").nth(1);
  await second.click();
  // Moves played at the end of the main line extend it.
  await expect.poll(() => sans(page)).toHaveLength(6);
  await button(page, "Best lines").click();
  await expect.poll(() => page.locator("path.hint").count()).toBe(0);
});

test("a variation, a comment and a sign are made, saved, and there when loaded back", async () => {
  const { page, errors } = await review(NOTED, { settings: { saveEvals: false } });
  await expect.poll(() => sans(page)).toEqual(["e4", "1.d4", "d5", "1…Nf6", "2.c4!", "e5?!", "Nf3"]);
  await move(page, "e4").click();
  await square(page, "c7").click();
  await square(page, "c5").click();
  await expect.poll(() => current(page)).toBe("1…c5");
  await button(page, "Comment").click();
  await page.locator("#comment").fill("the Sicilian, of course");
  await page.locator("#comment").blur();
  await button(page, "Brilliant move").click();
  await expect.poll(() => current(page)).toBe("1…c5!!");
  const file = readFileSync(await (await saved(page, "Save PGN")).path(), "utf8");
  const flat = file.replace(/\s+/g, " ");
  expect(flat).toContain("1. e4 {[%clk 0:05:00] the king's pawn} (1. d4 d5 (1... Nf6 {Indian}) 2. c4 $1)");
  expect(flat).toContain("1... e5 $6 (1... c5 $3 {the Sicilian, of course}) 2. Nf3 *");
  const shown = await sans(page);
  await page.evaluate(() => localStorage.clear());
  await button(page, "Open another game").click();
  await page.locator("#review-pgn").fill(file);
  await button(page, "Load").click();
  await expect.poll(() => sans(page)).toEqual(shown);
  await expect.poll(() => page.locator(".tree").textContent()).toContain("the Sicilian, of course");
  // The variation becomes the main line, and the moves it replaced are deleted.
  await move(page, "c5").click();
  await button(page, "Make main line").click();
  await expect.poll(() => sans(page)).toEqual(["e4", "1.d4", "d5", "1…Nf6", "2.c4!", "c5!!", "1…e5?!", "2.Nf3"]);
  await move(page, "e5").click();
  await button(page, "Delete from here").click();
  await expect.poll(() => sans(page)).toHaveLength(8);
  await button(page, "Confirm deletion from here").click();
  await expect.poll(() => sans(page)).toEqual(["e4", "1.d4", "d5", "1…Nf6", "2.c4!", "c5!!"]);
  // Everything survives a reload.
  await page.reload();
  await page.getByRole("grid").waitFor();
  await expect.poll(() => sans(page)).toEqual(["e4", "1.d4", "d5", "1…Nf6", "2.c4!", "c5!!"]);
  expect(errors).toEqual([]);
});

test("a game comes by paste and by drop", async () => {
  const { page } = await review(MATE);
  const hand = (kind: "paste" | "drop", text: string) =>
    page.evaluate(
      ([kind, text]) => {
        const data = new DataTransfer();
        data.setData("text/plain", text ?? "");
        const options = { bubbles: true, cancelable: true };
        const event = kind === "paste" ? new ClipboardEvent("paste", { ...options, clipboardData: data }) : new DragEvent("drop", { ...options, dataTransfer: data });
        document.querySelector("[role=grid]")?.dispatchEvent(event);
      },
      [kind, text],
    );
  await hand("paste", "1. c4 e5 *");
  await expect.poll(() => sans(page)).toEqual(["c4", "e5"]);
  // The engine judges moves as soon as it can; this one is never a mistake.
  await hand("drop", "1. d4 *");
  await expect.poll(() => sans(page)).toEqual(["d4"]);
  await hand("paste", "no game at all");
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("No games found.");
  await expect.poll(() => sans(page)).toEqual(["d4"]);
});

test("a link brings everything back, and a damaged one says so", async () => {
  const { page } = await review(NOTED);
  const shown = await sans(page);
  await button(page, "Share").click();
  const link = await page.locator("#share-link").inputValue();
  expect(link).toMatch(/\/review#[\w-]{20,200}$/);
  const { page: other, errors } = await visit(browser, new URL(link).pathname + new URL(link).hash);
  await other.getByRole("grid").waitFor();
  await expect.poll(() => sans(other)).toEqual(shown);
  await expect.poll(() => other.locator(".tree").textContent()).toContain("Indian");
  await expect.poll(() => other.locator("[data-player=white]").textContent()).toContain("Cyril");
  expect(errors).toEqual([]);
  const { page: broken } = await visit(browser, "/review#AQxx");
  await expect.poll(() => broken.getByRole("alert").textContent()).toContain("This link is damaged");
});

test("what is too long for a link is said in words, and the moves go alone", async () => {
  const words = "a long remark about this ".repeat(400);
  const { page } = await review(`1. e4 {${words}} e5 *`);
  await button(page, "Share").click();
  await expect.poll(() => page.getByRole("dialog").textContent()).toContain("This link contains only the moves.");
  const link = await page.locator("#share-link").inputValue();
  const { page: other } = await visit(browser, "/review" + new URL(link).hash);
  await other.getByRole("grid").waitFor();
  await expect.poll(() => sans(other)).toEqual(["e4", "e5"]);
});

test("the position is saved as a picture, SVG and PNG, as the board lies", async () => {
  const { page, errors } = await review("1. e4 e5 2. Nf3 *");
  await button(page, "Last move").click();
  await button(page, "Flip board").click();
  await page.locator("path.hint").waitFor();
  await button(page, "Share").click();
  const svg = readFileSync(await (await saved(page, "Save SVG")).path(), "utf8");
  const drawn = await page.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    const pieces = [...picture.querySelectorAll("use")].map((use) => [use.getAttribute("href"), use.getAttribute("x"), use.getAttribute("y")].join());
    return { error: picture.querySelector("parsererror")?.textContent ?? "", pieces, arrows: picture.querySelectorAll("svg > path").length };
  }, svg);
  expect(drawn.error).toBe("");
  // Black at the bottom: the knight on f3 is in the third column and the third row.
  expect(drawn.pieces).toContain("#study-n,203,203");
  expect(drawn.pieces.filter((it) => it.startsWith("#study-")).length).toBe(32);
  expect(drawn.arrows).toBeGreaterThan(0);
  expect(svg).not.toMatch(/(href|src)="http|url\(http/);
  const png = readFileSync(await (await saved(page, "Save PNG")).path());
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 1200]);
  // The picture has a light square, a dark square and a piece in the right places.
  const colors = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [1200, 1200];
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0);
    return [[225, 525], [375, 525], [375, 375]].map(([x, y]) => [...(context?.getImageData(x ?? 0, y ?? 0, 1, 1).data ?? [])].join());
  }, png.toString("base64"));
  expect(new Set(colors).size).toBe(3);
  expect(errors).toEqual([]);
});

test("all moves play by themselves, faster or slower, and pause", async () => {
  const game = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 Bg4 9. d3 Na5 10. Bc2 c5 11. Nbd2 Qc7 12. h3 Bd7 13. Nf1 g6 14. Ne3 h5 15. a4 Rb8";
  const { page } = await review(`${game} *`);
  // The test controls the page's clock.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const shown = async () => (await current(page)).replace(/[?!]+$/, "");
  await page.getByLabel("Time per move").selectOption({ label: "0.5 s" });
  await button(page, "Autoplay").click();
  await page.clock.runFor(499);
  expect(await shown()).toBe("");
  for (const san of ["e4", "e5", "Nf3"]) {
    await page.clock.runFor(san === "e4" ? 1 : 500);
    await expect.poll(shown).toBe(san);
  }
  await button(page, "Pause").click();
  await page.clock.runFor(5000);
  expect(await shown()).toBe("Nf3");
  // At a slower speed.
  await page.getByLabel("Time per move").selectOption({ label: "2 s" });
  await button(page, "Autoplay").click();
  await page.clock.runFor(1999);
  expect(await shown()).toBe("Nf3");
  await page.clock.runFor(1);
  await expect.poll(shown).toBe("Nc6");
  // From near the end, autoplay continues to the end and stops.
  await page.locator("[data-node]").filter({ hasText: "h5" }).click();
  await button(page, "Autoplay").click();
  await page.clock.runFor(4000);
  await expect.poll(shown).toBe("Rb8");
  await page.clock.runFor(2000);
  await button(page, "Autoplay").waitFor();
});

test("a review by keyboard alone", async () => {
  const { page, errors } = await review(NOTED);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.locator("main").focus();
  await press("ArrowRight");
  await expect.poll(() => current(page)).toBe("e4");
  await press("ArrowDown");
  await expect.poll(() => current(page)).toBe("1.d4");
  await press("ArrowRight", "ArrowDown");
  await expect.poll(() => current(page)).toBe("1…Nf6");
  await press("ArrowLeft", "ArrowRight");
  await expect.poll(() => current(page)).toBe("1…Nf6");
  await press("c");
  await page.keyboard.type("seen by keyboard");
  await press("Tab");
  await expect.poll(() => page.locator(".tree").textContent()).toContain("seen by keyboard");
  // Enters a move on the board, from square to square.
  await press("End", "Home");
  await square(page, "e2").focus();
  await press("ArrowLeft", "ArrowLeft", "Enter", "ArrowUp", "ArrowUp", "Enter");
  await expect.poll(() => current(page)).toBe("1.c4");
  await expect.poll(() => page.getByRole("status").first().textContent()).toContain("White: pawn c4");
  await press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await press("Escape");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("a game of Chess960 is reviewed, and castling is entered on the rook's square", async () => {
  const { page, errors } = await review('[FEN "4k3/8/8/8/8/8/8/6KR w H - 0 1"]\n\n1. Kg2 Ke7 *');
  await isDone(page);
  await square(page, "g1").click();
  await square(page, "h1").click();
  await expect.poll(() => current(page)).toBe("1.O-O");
  await expect.poll(() => square(page, "g1").getAttribute("aria-label")).toContain("white king");
  await expect.poll(() => square(page, "f1").getAttribute("aria-label")).toContain("white rook");
  // The engine analyzes the new position.
  const lines = page.getByRole("region", { name: "Best lines" });
  await expect.poll(() => lines.locator(".line").count()).toBe(3);
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("a game just played is reviewed from its end", async () => {
  const { page, errors } = await visit(browser, "/two", { settings: { names: { white: "Anna", black: "Boris" } } });
  await button(page, "Start game").click();
  for (const typed of ["f3", "e5", "g4", "Qh4"]) {
    await page.locator("#move-field").fill(typed);
    await page.keyboard.press("Enter");
  }
  await page.getByRole("region", { name: "Game over" }).getByRole("button", { name: "Review" }).click();
  await page.getByRole("grid").waitFor();
  await isDone(page);
  await expect.poll(() => sans(page)).toEqual(["f3?!", "e5", "g4??", "Qh4#"].map((it) => expect.stringContaining(it.replace(/[?!]+$/, ""))));
  await expect.poll(() => page.locator("[data-verdict=blunder]").textContent()).toContain("g4");
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("Anna");
  await button(page, "Last move").click();
  await expect.poll(() => page.locator("[data-player=black] [role=timer]").count()).toBe(1);
  expect(errors).toEqual([]);
});

test("a draw is claimed by announcing the move that makes it", async () => {
  const { page } = await visit(browser, "/two", { settings: { clock: "none" } });
  await button(page, "Start game").click();
  for (const typed of ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"]) {
    await page.locator("#move-field").fill(typed);
    await page.keyboard.press("Enter");
  }
  await button(page, "Claim draw with Ng8").click();
  const sheet = page.getByRole("region", { name: "Game over" });
  await expect.poll(() => sheet.textContent()).toContain("Draw by threefold repetition");
});

test("the analysis can be stopped and begun again, and the board answers meanwhile", async () => {
  // The engine has not loaded yet, so the analysis cannot finish before it is stopped.
  const { page, release } = await visit(browser, "/review", { held: /engine.*\.wasm$/ });
  await page.locator("#review-pgn").fill("1. e4 e5 2. Nf3 Nf6 3. Nc3 Nc6 4. Bb5 Bb4 5. O-O O-O *");
  await button(page, "Load").click();
  await button(page, /^Stop \(/).click();
  await button(page, "Analyze game").waitFor();
  release();
  await move(page, "e4").click();
  await expect.poll(() => current(page)).toContain("e4");
  await button(page, "Analyze game").click();
  await isDone(page);
});

test("the review has nothing that axe objects to", async () => {
  const { page } = await review(NOTED.replace("2. Nf3", "2. Ke2 Ke7 3. Nf3"), { colorScheme: "light", bypassCSP: true });
  await isDone(page);
  const check = async (what: string) => expect(await objectionsInBothThemes(page), what).toEqual([]);
  await check("the page");
  await button(page, "Next mistake").click();
  await check("a mistake");
  for (const name of ["Share", "Evaluation table", "Open another game"]) {
    await button(page, name).click();
    await page.getByRole("dialog").waitFor();
    await check(name);
    await page.keyboard.press("Escape");
  }
  await page.goto(`${ADDRESS}/about`);
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${ADDRESS}/review`);
  await page.locator("#review-pgn").waitFor();
  await check("nothing to review");
});
