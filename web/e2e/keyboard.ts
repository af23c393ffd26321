/** A person who uses the page by keyboard alone, and looks at what is on the board. */

import { expect } from "vitest";
import type { Page } from "playwright-core";
import { settled } from "./browser";

/** Presses keys as a person does who has no mouse. */
export function keyboard(page: Page) {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const active = () => page.evaluate(() => {
    const at = document.activeElement as HTMLElement | null;
    return { square: at?.dataset["square"] ?? "", text: at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? "", id: at?.id ?? "" };
  });
  const tabTo = async (fits: (at: Awaited<ReturnType<typeof active>>) => boolean, key = "Tab") => {
    for (let step = 0; step < 90; step++) {
      await press(key);
      if (fits(await active())) return;
    }
    throw new Error("it cannot be reached by Tab");
  };
  /** Goes to a square of the board in focus, and sees the piece there as well as before. */
  const goTo = async (name: string) => {
    for (let step = 0; step < 20; step++) {
      const { square } = await active();
      if (square === name) break;
      const [file, rank] = [name.charCodeAt(0) - square.charCodeAt(0), Number(name[1]) - Number(square[1])];
      await press(file > 0 ? "ArrowRight" : file < 0 ? "ArrowLeft" : rank > 0 ? "ArrowUp" : "ArrowDown");
    }
    await expect.poll(async () => (await active()).square).toBe(name);
  };
  const play = async (from: string, to: string) => {
    await goTo(from);
    await seen(page, from);
    await press("Enter");
    await goTo(to);
    await press("Enter");
    await seen(page, to);
  };
  return { press, tabTo, play };
}

/** Checks that the middle of a square shows a piece: more than one color. */
export async function seen(page: Page, name: string): Promise<void> {
  await settled(page);
  const box = await page.locator(`[data-square="${name}"]`).boundingBox();
  if (!box) throw new Error(`${name} is not on the page`);
  const { x, y, width, height } = box;
  const inner = { x: x + width * 0.25, y: y + height * 0.25, width: width * 0.5, height: height * 0.5 };
  const bytes = (await page.screenshot({ clip: inner })).toString("base64");
  const colors = await page.evaluate(async (data) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context?.drawImage(picture, 0, 0);
    const pixels = context?.getImageData(0, 0, picture.width, picture.height).data ?? new Uint8ClampedArray();
    const found = new Set<number>();
    for (let at = 0; at < pixels.length; at += 4) found.add(((pixels[at] ?? 0) >> 5) << 10 | ((pixels[at + 1] ?? 0) >> 5) << 5 | (pixels[at + 2] ?? 0) >> 5);
    return found.size;
  }, bytes);
  expect(colors, `${name} shows its piece`).toBeGreaterThan(2);
}
