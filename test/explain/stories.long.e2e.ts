import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Story, step, type Step } from '../money/steps.js';
import { beginning, STORIES } from '../money/stories.js';
import { randomOf, World } from '../money/world.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { expectExplained, explained } from './explained.js';

/** Explains totals during the stories of donors, banks, admins, providers and networks. */
const { MODEL_RUNS: RUNS } = process.env;

const app = withService(startPaymentsApp);
const admin = withAdmin(app);

async function tell(steps: readonly Step[], seed: number): Promise<void> {
  const world = await World.create(app, admin.token);
  const story = new Story(world, randomOf(seed), 1);
  const state = { over: false };
  const told = (async () => {
    for (const one of steps) await story.play(one);
    await story.end();
  })().finally(() => (state.over = true));
  // Checks the explanation also while the story runs, so that no reader ever sees lines that do not add up.
  let reads = 0;
  while (!state.over) {
    await explained(app, admin.token, world.event.id);
    reads++;
    // Without a pause, the reads would take the processor from the story.
    await sleep(20);
  }
  await told;
  expect(reads).toBeGreaterThan(0);
  await expectExplained(app, admin.token, world.event.id);
  // Closes open payments, so that reconciliation does not query them in the next story.
  await sql(app, 'UPDATE donation SET next_check_at = $1 WHERE event_id = $2', [
    '9999-12-31',
    world.event.id,
  ]);
}

describe('explanations during stories', () => {
  it.each(STORIES.map(({ name, steps }, index) => [name, index, steps] as const))(
    'at every moment of the story of %s, the explanation adds up and every line lists its rows',
    async (_, index, steps) => {
      await tell(steps, index);
    },
    120_000,
  );

  it('in random stories, the explanation adds up and every line lists its rows', async () => {
    const end = Date.now() + (RUNS ? 3_000_000 : 15_000);
    const steps = fc.array(step, { minLength: 1, maxLength: 30, size: 'max' });
    const property = fc.asyncProperty(steps, fc.nat(), async (more, seed) => {
      if (Date.now() < end) await tell([...beginning, ...more], seed);
    });
    await fc.assert(property, { numRuns: RUNS ? Number(RUNS) : 10 });
  }, 3_600_000);
});
