import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/** Waits until a condition is true. The default time limit is long, because a slow machine must not fail a test. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = 'the condition',
  { timeoutMs = 30_000, everyMs = 20 }: Patience = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what} was not reached within ${timeoutMs} ms`);
    await sleep(everyMs);
  }
}
