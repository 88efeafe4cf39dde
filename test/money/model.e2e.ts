import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { adminToken, sql } from '../support/fixtures.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';
import { expectSettledBooks, expectSoundBooks } from './invariants.js';
import { type Step, step, Story } from './steps.js';
import { beginning, STORIES } from './stories.js';
import { randomOf, World } from './world.js';

/**
 * Random interleavings of everything that donors, banks, admins, providers and networks do, against the running
 * service and the payment sandbox. `MODEL_RUNS=500` runs longer; a failure prints the seed and path for
 * `MODEL_SEED` and `MODEL_PATH`.
 */
const { MODEL_RUNS: RUNS, MODEL_SEED: SEED, MODEL_PATH: PATH } = process.env;
const SETTINGS = {
  numRuns: RUNS ? Number(RUNS) : 40,
  ...(SEED && { seed: Number(SEED) }),
  ...(PATH && { path: PATH }),
  examples: STORIES.map((story, seed) => [story, seed]),
} as fc.Parameters<[Step[], number]>;
const TIMEOUT_MS = RUNS ? 3_600_000 : 120_000;

let app: PaymentsApp;
let token: string;

beforeAll(async () => {
  app = await startPaymentsApp();
  token = await adminToken(app);
});
afterAll(() => app.close());

/**
 * Whether the time for further stories is over. The first one is always played to its end: on a busy machine a test
 * that played none would say nothing. With `MODEL_RUNS` all are played.
 */
function afterSeconds(seconds: number): () => boolean {
  const end = Date.now() + seconds * 1_000;
  let played = 0;
  return () => RUNS === undefined && played++ > 0 && Date.now() > end;
}

const steps = (most: number) =>
  fc.array(step, { minLength: 1, maxLength: most, size: 'max' }).map((more) => [...beginning, ...more]);

describe('whatever happens, in whatever order', () => {
  it(
    'the books are sound at every step and agree with the providers in the end',
    async () => {
      const isEnough = afterSeconds(7);
      const property = fc.asyncProperty(steps(40), fc.nat(), async (given, seed) => {
        if (isEnough()) return;
        const world = await World.create(app, token);
        const story = new Story(world, randomOf(seed), 1);
        for (const one of given) await story.tell(one);
        await expectSoundBooks(app, world.event.id);
        await story.end();
        expect(world.failures).toEqual([]);
        await expectSettledBooks(app, world.event.id, paymentsOf(world));
        await retire(world);
      });
      await fc.assert(property, SETTINGS);
    },
    TIMEOUT_MS,
  );

  it(
    'the end does not depend on the order and number of the messages',
    async () => {
      const isEnough = afterSeconds(7);
      const property = fc.asyncProperty(steps(25), fc.nat(), async (given, seed) => {
        if (isEnough()) return;
        const world = await World.create(app, token);
        const story = new Story(world, randomOf(seed), 2);
        for (const one of given) await story.tell(one);
        await story.end();
        expect(world.failures).toEqual([]);
        await expectSettledBooks(app, world.event.id, paymentsOf(world));
        for (const [one, other] of story.online)
          expect(await endOf(other?.donationId)).toEqual(await endOf(one?.donationId));
        await retire(world);
      });
      await fc.assert(property, SETTINGS);
    },
    TIMEOUT_MS,
  );
});

const paymentsOf = (world: World) => [...world.online.map(({ paymentId }) => paymentId), ...world.foreign];

/** Everything about a donation that must not depend on how its messages came. */
async function endOf(donationId: string | undefined) {
  const [end] = await sql(
    app,
    `SELECT status, amount, currency, refunded_amount, paid_at IS NOT NULL AS paid, completed_at IS NOT NULL AS completed,
       (SELECT json_agg(json_build_object('amount', amount, 'status', status) ORDER BY amount, status) FROM refund
        WHERE donation_id = d.id) AS refunds,
       (SELECT json_agg(json_build_object('amount', amount, 'status', status) ORDER BY amount, status) FROM dispute
        WHERE donation_id = d.id) AS disputes
     FROM donation d WHERE id = $1`,
    [donationId],
  );
  return end;
}

/** What a run leaves unsettled is no business of the next run's reconciliation. */
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
