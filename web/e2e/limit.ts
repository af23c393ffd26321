/**
 * The only timeouts of the browser tests.
 *
 * They end a test that hangs; they do not measure speed. Every wait ends with an event, and none
 * has a shorter timeout of its own, so a busy machine only makes the tests slower.
 */

/** Timeout for each wait, in milliseconds. */
export const LIMIT_MS = 120_000;

/** Timeout for a whole test or hook, which consists of many waits. */
export const TEST_LIMIT_MS = 5 * LIMIT_MS;
