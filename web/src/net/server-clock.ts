/**
 * What the server's clock shows now.
 *
 * Every message tells what it showed when it was sent; the one that was fastest on its way tells
 * it best. Our own clock only has to go on evenly.
 */

export class ServerClock {
  #ahead = -Infinity;
  readonly #local: () => number;

  constructor(local: () => number = () => performance.timeOrigin + performance.now()) {
    this.#local = local;
  }

  /** A message says what the clock showed. */
  hear(at: number): void {
    this.#ahead = Math.max(this.#ahead, at - this.#local());
  }

  now(): number {
    return this.#local() + (Number.isFinite(this.#ahead) ? this.#ahead : 0);
  }
}
