/**
 * Draws the position as an SVG image, and as PNG from it. Nothing is fetched.
 *
 * Responsible for the layout of the image. Pieces and colors come from the page, so that the image
 * looks like the board.
 */

import { FILES, SQUARES, colorOf, isLight, pieceAt, placeOf } from "../board/geometry";
import { arrowPath, tokenOf, type Arrow } from "../board/marks";
import type { BoardText, Color } from "../core/types";

export interface Scene {
  board: BoardText;
  orientation: Color;
  lastMove: { from: string; to: string } | null;
  check: string | null;
  arrows: readonly Arrow[];
  hasCoordinates: boolean;
  title: string;
}

/** Colors by their CSS token, and the shapes of the pieces as SVG. */
export interface Look {
  color: (token: string) => string;
  set: string;
  shapes: string;
}

const SIZE = 800;
const CELL = SIZE / 8;

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

export function svgOf(scene: Scene, look: Look): string {
  const { orientation } = scene;
  const at = (square: string) => {
    const { x, y } = placeOf(square, orientation);
    return { x: x * CELL, y: y * CELL };
  };
  const marked = (square: string) => scene.lastMove?.from === square || scene.lastMove?.to === square;
  const squares = SQUARES.map((square) => {
    const { x, y } = at(square);
    const box = `x="${x}" y="${y}" width="${CELL}" height="${CELL}"`;
    const ground = `<rect ${box} fill="${look.color(isLight(square) ? "--square-light" : "--square-dark")}"/>`;
    const last = marked(square) ? `<rect ${box} fill="${look.color(isLight(square) ? "--mark-last-light" : "--mark-last-dark")}"/>` : "";
    const check = scene.check === square ? `<rect ${box} fill="url(#check)"/>` : "";
    return ground + last + check;
  });
  const pieces = SQUARES.flatMap((square) => {
    const piece = pieceAt(scene.board, square);
    return piece ? [drawPiece(piece, at(square), look)] : [];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}">`,
    `<title>${escaped(scene.title)}</title>`,
    `<defs><radialGradient id="check"><stop offset="0.1" stop-color="${look.color("--mark-check")}"/>`,
    `<stop offset="1" stop-color="${look.color("--mark-check")}" stop-opacity="0"/></radialGradient></defs>`,
    look.shapes,
    ...squares,
    scene.hasCoordinates ? coordinates(orientation, look) : "",
    ...pieces,
    ...scene.arrows.map((arrow) => drawn(arrow, at, look)),
    "</svg>",
  ].join("");
}

function drawPiece(piece: string, place: { x: number; y: number }, look: Look): string {
  const color = colorOf(piece);
  const detail = color === "white" ? "--piece-white-line" : "--piece-black-detail";
  const paint = `fill="${look.color(`--piece-${color}`)}" stroke="${look.color(`--piece-${color}-line`)}" color="${look.color(detail)}"`;
  const box = `x="${place.x + 3}" y="${place.y + 3}" width="${CELL - 6}" height="${CELL - 6}"`;
  return `<g ${paint} stroke-width="3.4" stroke-linejoin="round" stroke-linecap="round"><use href="#${look.set}-${piece.toLowerCase()}" ${box}/></g>`;
}

function coordinates(orientation: Color, look: Look): string {
  const text = (square: string, letter: string | undefined, place: string) =>
    `<text ${place} font-family="sans-serif" font-size="15" font-weight="600" fill="${look.color(isLight(square) ? "--square-ink-light" : "--square-ink-dark")}">${letter}</text>`;
  const ranks = [1, 2, 3, 4, 5, 6, 7, 8].map((rank) => {
    const square = `${orientation === "white" ? "a" : "h"}${rank}`;
    return text(square, square[1], `x="5" y="${placeOf(square, orientation).y * CELL + 18}"`);
  });
  const files = [...FILES].map((file) => {
    const square = `${file}${orientation === "white" ? 1 : 8}`;
    return text(square, file, `x="${placeOf(square, orientation).x * CELL + CELL - 5}" y="${SIZE - 6}" text-anchor="end"`);
  });
  return [...ranks, ...files].join("");
}

function drawn(arrow: Arrow, at: (square: string) => { x: number; y: number }, look: Look): string {
  const color = look.color(tokenOf(arrow));
  const [from, to] = [at(arrow.from), at(arrow.to)].map(({ x, y }) => ({ x: x + CELL / 2, y: y + CELL / 2 }));
  if (!from || !to) return "";
  if (arrow.from === arrow.to) return `<circle cx="${from.x}" cy="${from.y}" r="44" fill="none" stroke="${color}" stroke-width="8" opacity="0.8"/>`;
  return `<path d="${arrowPath(arrow, from, to)}" fill="${color}" opacity="0.8"/>`;
}

/** The color tokens that a picture can contain. */
const COLORS = [
  ...["square-light", "square-dark", "square-ink-light", "square-ink-dark"],
  ...["mark-last-light", "mark-last-dark", "mark-check", "mark-target", "mark-hint"],
  ...["mark-arrow", "mark-arrow-red", "mark-arrow-yellow", "mark-arrow-blue"],
  ...["piece-white", "piece-white-line", "piece-black", "piece-black-line", "piece-black-detail"],
].map((name) => `--${name}`);

/** Returns the current look of the page. */
export function pageLook(set: string): Look {
  // A custom property is only text; a property of an element has the color it stands for.
  const probe = document.body.appendChild(document.createElement("i"));
  const color = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colors = new Map(COLORS.map((token) => [token, color(token)]));
  probe.remove();
  const sprite = document.getElementById(`${set}-p`)?.closest("svg");
  const parts = sprite ? [...sprite.children].filter((it) => it.tagName === "defs" || it.id.startsWith(`${set}-`)) : [];
  const writer = new XMLSerializer();
  return {
    color: (token) => colors.get(token) ?? "",
    set,
    shapes: parts.map((part) => writer.serializeToString(part).replace(/ xmlns="[^"]*"| class="[^"]*"/g, "")).join(""),
  };
}

export const svgAddress = (svg: string): string => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

/** Renders the image as PNG, `pixels` wide and high. */
export async function pngOf(svg: string, pixels: number): Promise<Blob> {
  const image = new Image(pixels, pixels);
  image.src = svgAddress(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [pixels, pixels];
  canvas.getContext("2d")?.drawImage(image, 0, 0, pixels, pixels);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}

/** Offers a blob as a file download. */
export function saveAs(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
