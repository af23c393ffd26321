/**
 * The only time limit of the browser tests.
 *
 * It ends a test that hangs; it is no measure of speed. Every wait ends with an event, and none
 * has a shorter limit of its own, so a busy machine makes the tests slower and nothing else.
 */

/** Limit for each wait, in milliseconds. */
export const LIMIT_MS = 120_000;

/** Limit for a whole test or hook, which consists of many waits. */
export const TEST_LIMIT_MS = 5 * LIMIT_MS;
