import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import {
  expectSettledBooks,
  expectSettledDisputes,
  expectSoundBooks,
  expectWholeFeed,
} from './invariants.js';
import { HAPPENINGS, type Step, step, Story } from './steps.js';
import { beginning, STORIES } from './stories.js';
import { randomOf, World } from './world.js';

/**
 * Random orders of all actions of donors, banks, admins, providers and networks, against the running service and the payment
 * sandbox. `MODEL_RUNS=500` runs longer. A failure prints the seed and path for `MODEL_SEED` and `MODEL_PATH`.
 */
const { MODEL_RUNS: RUNS, MODEL_SEED: SEED, MODEL_PATH: PATH } = process.env;
const SETTINGS = {
  numRuns: RUNS ? Number(RUNS) : 40,
  ...(SEED && { seed: Number(SEED) }),
  ...(PATH && { path: PATH }),
} as fc.Parameters<[Step[], number]>;
const TIMEOUT_MS = RUNS ? 3_600_000 : 120_000;

const app = withService(startPaymentsApp);
const admin = withAdmin(app);

/**
 * Returns true when the time for further stories is over. The first story always runs to its end, because a test without any
 * story would prove nothing. With `MODEL_RUNS` all stories run.
 */
function afterSeconds(seconds: number): () => boolean {
  const end = Date.now() + seconds * 1_000;
  let played = 0;
  return () => RUNS === undefined && played++ > 0 && Date.now() > end;
}

const steps = (most: number) =>
  fc.array(step, { minLength: 1, maxLength: most, size: 'max' }).map((more) => [...beginning, ...more]);

/** Plays a story and checks the books. When all messages are delivered, compares the books with the providers. */
async function play(steps: readonly Step[], seed: number): Promise<Story> {
  const world = await World.create(app, admin.token);
  const story = new Story(world, randomOf(seed), 1);
  for (const one of steps) await story.play(one);
  await expectSoundBooks(app, world.event.id);
  await story.end();
  expect(world.failures).toEqual([]);
  await expectSettledBooks(app, world.event.id, paymentsOf(world));
  await expectSettledDisputes(app, paymentsOf(world));
  await expectWholeFeed(app, world.event.id);
  await retire(world);
  return story;
}

/**
 * Plays a story with two copies of each donation. Their messages arrive in different orders, but both copies must reach the
 * same state.
 */
async function playInTwoOrders(steps: readonly Step[], seed: number): Promise<void> {
  const world = await World.create(app, admin.token);
  const story = new Story(world, randomOf(seed), 2);
  for (const one of steps) await story.play(one);
  await story.end();
  expect(world.failures).toEqual([]);
  await expectSettledBooks(app, world.event.id, paymentsOf(world));
  await expectSettledDisputes(app, paymentsOf(world));
  for (const [one, other] of story.online)
    expect(await endOf(other?.donationId)).toEqual(await endOf(one?.donationId));
  await retire(world);
}

describe('payment stories', () => {
  it.each(STORIES)('the story "$name" ends with correct books', async ({ steps }) => {
    const { refused } = await play(steps, 1);
    // If the provider refused a step, the story did not test it.
    expect(refused).toEqual([]);
  });

  it.each(STORIES.filter(({ inTwoOrders }) => inTwoOrders))(
    'the story "$name" ends the same in two orders of its messages',
    async ({ steps }) => {
      await playInTwoOrders(steps, 2);
    },
  );

  it('the stories contain every possible step', () => {
    const played = new Set(STORIES.flatMap(({ steps }) => steps.map(({ what }) => what)));
    expect(HAPPENINGS.filter((what) => !played.has(what))).toEqual([]);
  });
});

describe('random payment steps', () => {
  it(
    'random steps keep the books correct and equal to the providers in the end',
    async () => {
      const isEnough = afterSeconds(4);
      const property = fc.asyncProperty(steps(40), fc.nat(), async (given, seed) => {
        if (!isEnough()) await play(given, seed);
      });
      await fc.assert(property, SETTINGS);
    },
    TIMEOUT_MS,
  );

  it(
    'the order and number of messages do not change the final state after random steps',
    async () => {
      const isEnough = afterSeconds(4);
      const property = fc.asyncProperty(steps(25), fc.nat(), async (given, seed) => {
        if (!isEnough()) await playInTwoOrders(given, seed);
      });
      await fc.assert(property, SETTINGS);
    },
    TIMEOUT_MS,
  );
});

const paymentsOf = (world: World) => [...world.online.map(({ paymentId }) => paymentId), ...world.foreign];

/** Reads the fields of a donation that must not depend on the order of its messages. */
async function endOf(donationId: string | undefined) {
  const [end] = await sql(
    app,
    `SELECT status, amount, currency, refunded_amount, paid_at IS NOT NULL AS paid, completed_at IS NOT NULL AS completed,
       (SELECT json_agg(json_build_object('amount', amount, 'status', status) ORDER BY amount, status) FROM refund
        WHERE donation_id = d.id) AS refunds,
       (SELECT json_agg(json_build_object('amount', amount, 'status', status, 'is', provider_status, 'reason', reason,
          'asks', needs_answer, 'fee', fee) ORDER BY amount, status) FROM dispute
        WHERE donation_id = d.id) AS disputes
     FROM donation d WHERE id = $1`,
    [donationId],
  );
  return end;
}

/** Closes what a run has left open, so that reconciliation ignores it in the next run. */
async function retire(world: World): Promise<void> {
  await sql(
    app,
    `UPDATE donation SET status = 'CANCELLED' WHERE event_id = $1 AND status IN ('PENDING', 'FAILED')`,
    [world.event.id],
  );
  await sql(
    app,
    `UPDATE refund SET status = 'cancelled' WHERE status IN ('requested', 'pending')
       AND donation_id IN (SELECT id FROM donation WHERE event_id = $1)`,
    [world.event.id],
  );
}
