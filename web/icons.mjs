/** Draws the icons that cannot be SVG from the one that is: `CHROMIUM=/usr/bin/chromium npm run icons`. */

import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const svg = readFileSync("public/icon.svg", "utf8");
/** Systems cut icons into circles and drops: the ground goes to the edge, the tower stays inside. */
const maskable = svg
  .replace(' rx="12"', "")
  .replace("<path", '<g transform="translate(9.6 9.6) scale(0.7)"><path')
  .replace("</svg>", "</g></svg>");
/** What browsers of old ask for without being told. */
const ICONS = [
  { name: "icon-192.png", size: 192, drawing: svg },
  { name: "icon-512.png", size: 512, drawing: svg },
  { name: "icon-maskable-512.png", size: 512, drawing: maskable },
  { name: "apple-touch-icon.png", size: 180, drawing: maskable },
];

const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"], args: ["--no-sandbox", "--disable-gpu"] });
for (const { name, size, drawing } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${drawing}`);
  writeFileSync(`public/${name}`, await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
