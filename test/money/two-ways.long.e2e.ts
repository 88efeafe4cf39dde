import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PaidAtOnce } from '../../src/donations/recording/paid-at-once.js';
import { MailWorker } from '../../src/mail/mail-worker.js';
import { adminToken } from '../support/fixtures.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';
import { comparableBooks } from './books-compared.js';
import { expectSettledBooks } from './invariants.js';
import { HAPPENINGS, type Step, Story } from './steps.js';
import { beginning, STORIES } from './stories.js';
import { randomOf, World } from './world.js';

/**
 * Two services live through the same story: one books what it can in one round trip, the other everything step by step.
 * Their books end the same. `TWO_WAYS_RUNS=300` plays more.
 */

const { TWO_WAYS_RUNS: RUNS } = process.env;
const MAIL = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'gala@example.org',
  PUBLIC_URL: 'http://127.0.0.1:9',
};

/** What is decided by who comes first, or happens in a process of its own. */
const UNLIKE: ReadonlySet<Step['what']> = new Set([
  'some messages arrive at once',
  'everything at once',
  'a provider stumbles',
  'the same refund is asked for again',
  'two sessions send the queue',
  'a terminal queues a record',
  'a gap of days',
  'a backup is made',
  'the backup is restored',
]);

interface Way {
  readonly app: PaymentsApp;
  readonly token: string;
}

let fast: Way;
let careful: Way;
/** How many the fast one has booked in one round trip. */
let atOnce = 0;

async function start(): Promise<Way> {
  const app = await startPaymentsApp(MAIL);
  // It takes the e-mail of a donation that was given back off the list, if it looks there in that moment.
  await app.app.get(MailWorker, { strict: false }).beforeApplicationShutdown();
  return { app, token: await adminToken(app) };
}

const bookerOf = ({ app }: Way) => app.app.get(PaidAtOnce, { strict: false });

beforeAll(async () => {
  [fast, careful] = await Promise.all([start(), start()]);
  const booker = bookerOf(fast);
  const book = booker.book.bind(booker);
  booker.book = async (...success) => {
    const booked = await book(...success);
    if (booked !== undefined) atOnce++;
    return booked;
  };
  bookerOf(careful).book = () => Promise.resolve(undefined);
}, 60_000);
afterAll(async () => {
  await Promise.all([fast.app.close(), careful.app.close()]);
});
beforeEach(() => {
  atOnce = 0;
});

/** The books of one way in the middle of the story and at its end. */
async function lived({ app, token }: Way, steps: readonly Step[], seed: number): Promise<unknown[]> {
  const world = await World.create(app, token);
  const story = new Story(world, randomOf(seed), 1);
  const books: unknown[] = [];
  for (const [index, step] of steps.entries()) {
    await story.play(step);
    if (index % 8 === 7) books.push(await comparableBooks(app, world.event.id));
  }
  await story.end();
  expect(world.failures).toEqual([]);
  await expectSettledBooks(app, world.event.id, [
    ...world.online.map(({ paymentId }) => paymentId),
    ...world.foreign,
  ]);
  return [...books, await comparableBooks(app, world.event.id)];
}

async function expectSame(steps: readonly Step[], seed: number): Promise<void> {
  const [one, other] = await Promise.all([lived(fast, steps, seed), lived(careful, steps, seed)]);
  expect(one).toEqual(other);
}

const isAlike = ({ what }: Step) => !UNLIKE.has(what);

describe('in one round trip and step by step', () => {
  it.each(STORIES)('$name ends with the same books', async ({ steps }) => {
    await expectSame(steps.filter(isAlike), 1);
  });

  it('payments as they mostly are end with the same books, and are booked at once', async () => {
    const evening = Array.from({ length: 6 }, (_, which): Step[] => [
      { what: 'card intent', which, amount: 900 + which, flag: which % 2 === 0 },
      { what: 'donor pays', which, amount: 0, flag: false },
      { what: 'all messages arrive', which, amount: 0, flag: false },
    ]);
    await expectSame(evening.flat(), 3);
    expect(atOnce).toBeGreaterThan(1);
  });

  it(
    'whatever happens, in whatever order, ends with the same books',
    async () => {
      const alike = HAPPENINGS.filter((what) => !UNLIKE.has(what));
      const step: fc.Arbitrary<Step> = fc.record({
        what: fc.constantFrom(...alike),
        which: fc.nat(11),
        amount: fc.integer({ min: 100, max: 3000 }),
        flag: fc.boolean(),
      });
      const steps = fc.array(step, { minLength: 1, maxLength: 30, size: 'max' });
      const end = Date.now() + 6_000;
      let played = 0;
      const property = fc.asyncProperty(steps, fc.nat(), async (more, seed) => {
        // The first ones are always played, also on a busy machine.
        if (RUNS === undefined && played++ > 3 && Date.now() > end) return;
        await expectSame([...beginning, ...more], seed);
      });
      await fc.assert(property, { numRuns: RUNS === undefined ? 30 : Number(RUNS) });
    },
    RUNS === undefined ? 180_000 : 3_600_000,
  );
});
