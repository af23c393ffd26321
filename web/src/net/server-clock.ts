/**
 * Estimates the current time of the server's clock.
 *
 * Every message carries the server's time at which it was sent; the message with the least delay
 * gives the best estimate. The local clock only has to run at a steady rate.
 */

export class ServerClock {
  #ahead = -Infinity;
  readonly #local: () => number;

  constructor(local: () => number = () => performance.timeOrigin + performance.now()) {
    this.#local = local;
  }

  /** Updates the estimate with the server time in a message. */
  observe(at: number): void {
    this.#ahead = Math.max(this.#ahead, at - this.#local());
  }

  now(): number {
    return this.#local() + (Number.isFinite(this.#ahead) ? this.#ahead : 0);
  }
}
