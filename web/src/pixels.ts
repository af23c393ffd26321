/** Tells the style sheet how many device pixels a CSS pixel has, so that squares are whole pixels. */
export function watchPixels(): void {
  const root = document.documentElement;
  const watch = (): void => {
    root.style.setProperty("--dpr", String(devicePixelRatio));
    // The ratio changes when the page is zoomed or moved to another screen.
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", watch, { once: true });
  };
  watch();
}
