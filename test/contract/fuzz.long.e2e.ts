import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withService } from '../support/setup.js';
import { readDescription, routesOf } from './described.js';
import { problemOf } from './fuzz-answers.js';
import { books, uncleanTexts } from './fuzz-leftovers.js';
import { packetsOf, problemsOfPackets } from './fuzz-packets.js';
import { problemOfRaw, type RawShot, rawShotsOf } from './fuzz-raw.js';
import { statuses } from './fuzz-tally.js';
import { type Shot, shotsOf, type World } from './fuzz-requests.js';
import { as } from '../support/bearer.js';

/** Total number of requests. `node bench/fuzz.mjs` makes a longer run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 600);
/** The test starts no request after this time. So a run on a busy machine sends fewer requests and does not fail. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 10);
/** The same seed in each run, so that only a change of the code can make the test fail. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const AT_ONCE = 16;
/** Number of requests of one route in a round, of packets of one socket, and of raw requests on their own connections. */
const [A_ROUTE, A_SOCKET, RAW] = [4, 20, 120];
/** The largest total that the service may record, and the largest number that an answer can contain. */
const [MOST_RECORDED, MOST_CARRIED] = [2n ** 52n, 2n ** 53n];
const RUN_MS = 120_000 + SECONDS * 2_000;

const description = readDescription();
const routes = routesOf(description);

const app = withService(() => startPaymentsApp({ TRUST_PROXY: '1' }));

/**
 * Creates an event with a raised total of `amount`. It inserts two donations, because `amount` exceeds the limit of one
 * donation, and sets the totals as the service would.
 */
async function eventThatRaised(admin: string, amount: bigint): Promise<readonly string[]> {
  const event = await createEvent(app, admin);
  const ids: string[] = [];
  for (const part of [amount / 2n, amount - amount / 2n]) {
    const { body } = await as(app, admin).post('/donations', {
      eventId: event.id,
      amount: 100,
      type: 'cash',
    });
    const { id } = body as { id: string };
    ids.push(id);
    await sql(app, 'UPDATE donation SET amount = $2 WHERE id = $1', [id, String(part)]);
  }
  await sql(
    app,
    `UPDATE event_total SET total_raised = total_raised + $2
      WHERE (event_id, shard) = (SELECT event_id, shard FROM event_total WHERE event_id = $1 LIMIT 1)`,
    [event.id, String(amount - 200n)],
  );
  return [event.id, event.slug, ...ids];
}

/** Creates new objects for each round, because a round may close, delete or sign out the objects that it uses. */
async function newWorld(round: number): Promise<World> {
  const admin = await adminToken(app);
  const event = await createEvent(app, admin);
  const staff = await createStaff(app, admin, event.id);
  const known = [event.id, event.slug, staff.id];
  for (const type of ['cash', 'pledge', 'check']) {
    const { body } = await as(app, admin).post('/donations', {
      eventId: event.id,
      amount: 100,
      type,
      message: 'Hello',
      donorName: 'Ada',
    });
    known.push((body as { id: string }).id);
  }
  // The first event has room for about half of the recorded donations. In every fourth round, a second event has a total above
  // the largest number.
  known.push(...(await eventThatRaised(admin, MOST_RECORDED - 2_500n)));
  if (round % 4 === 1) known.push(...(await eventThatRaised(admin, MOST_CARRIED + 1n)));
  // There are several admins, because a request may sign out the admin whose token it uses.
  const admins = [admin];
  while (admins.length < 8) admins.push(await adminToken(app));
  return { description, known, tokens: [...admins, staff.token, staff.token, undefined, 'not.a.token'] };
}

const asText = ({ route, url, body }: Shot, problem: string) =>
  `${route.method} ${url} ${body?.slice(0, 300) ?? ''} → ${problem}`;

const rawAsText = ({ method, path, ...rest }: RawShot, problem: string) =>
  `${method} ${path} ${JSON.stringify(rest).slice(0, 300)} → ${problem}`;

/** Opens long-polling sessions for odd requests. */
async function openSessions(round: number): Promise<string[]> {
  const open = async () => {
    const { text } = await app.http
      .get('/socket.io/?EIO=4&transport=polling')
      .set('X-Forwarded-For', `198.52.${(round >> 8) & 255}.${round & 255}`);
    return (JSON.parse(text.slice(1)) as { sid: string }).sid;
  };
  return [await open(), await open()];
}

/** Sends requests to all routes in turn. So a run that ends early has still tried each route. */
async function runRound(round: number, until: number): Promise<{ tried: number; problems: string[] }> {
  const world = await newWorld(round);
  const seed = SEED + round * 1_000;
  const ofRoute = routes.map((route, index) =>
    fc.sample(shotsOf(route, world), { numRuns: A_ROUTE, seed: seed + index }),
  );
  const shots = Array.from({ length: A_ROUTE }, (_, at) =>
    ofRoute.flatMap((of) => of.slice(at, at + 1)),
  ).flat();
  const next = shots[Symbol.iterator]();
  const problems: string[] = [];
  let tried = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const shot of next) {
        if (performance.now() > until) return;
        tried++;
        const problem = await problemOf(app.url, shot).catch((error: unknown) => String(error));
        if (problem) problems.push(asText(shot, problem));
      }
    }),
  );
  const packets = fc.sample(packetsOf(world), { numRuns: A_SOCKET, seed });
  problems.push(
    ...(await problemsOfPackets(app.url, `198.51.${(round >> 8) & 255}.${round & 255}`, packets)),
  );
  const sessions = await openSessions(round);
  const raws = fc.sample(rawShotsOf(routes, sessions, world), { numRuns: RAW, seed })[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const shot of raws) {
        if (performance.now() > until) return;
        tried++;
        const problem = await problemOfRaw(app.url, shot).catch((error: unknown) => String(error));
        if (problem) problems.push(rawAsText(shot, problem));
      }
    }),
  );
  return { tried: tried + packets.length, problems };
}

describe('requests and packets made from the API descriptions', () => {
  it(
    `random requests and packets get described answers and leave clean texts and correct totals, in up to ${REQUESTS} tries`,
    async () => {
      expect(routes.length).toBeGreaterThan(40);
      const until = performance.now() + SECONDS * 1_000;
      const problems: string[] = [];
      let tried = 0;
      for (let round = 0; tried < REQUESTS && performance.now() < until; round++) {
        const done = await runRound(round, until);
        tried += done.tried;
        problems.push(...done.problems);
      }
      await app.sandbox.settled();
      const { unclean, read } = await uncleanTexts(app);
      process.stdout.write(
        `FUZZ_SEED=${SEED}: ${tried} requests and packets, ${problems.length} wrong; ${read} texts read, ${unclean.length} unclean\nstatuses: ${JSON.stringify(statuses)}\n`,
      );
      expect(tried).toBeGreaterThan(0);
      expect(problems.slice(0, 40)).toEqual([]);
      expect(read).toBeGreaterThan(0);
      expect(unclean.slice(0, 40)).toEqual([]);
      const { kept, counted } = await books(app);
      expect(kept).toEqual(counted);
    },
    RUN_MS,
  );
});
