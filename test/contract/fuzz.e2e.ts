import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';
import { readDescription, routesOf } from './described.js';
import { problemOf } from './fuzz-answers.js';
import { books, uncleanTexts } from './fuzz-leftovers.js';
import { packetsOf, problemsOfPackets } from './fuzz-packets.js';
import { type Shot, shotsOf, type World } from './fuzz-requests.js';

/** Requests in all; `node bench/fuzz.mjs` makes a longer run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 600);
/** Then no more are started, so that a busy machine tries fewer instead of failing. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 10);
/** The same in each run, so that a failure of the gate is a failure of the change. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const AT_ONCE = 16;
/** Of one route in a round, and of one socket. */
const [A_ROUTE, A_SOCKET] = [4, 20];
const RUN_MS = 120_000 + SECONDS * 2_000;

const description = readDescription();
const routes = routesOf(description);

let app: PaymentsApp;

beforeAll(async () => {
  app = await startPaymentsApp({ TRUST_PROXY: '1' });
});
afterAll(() => app.close());

/** New each round: what was closed, deleted or signed out by one round is there again for the next. */
async function newWorld(): Promise<World> {
  const admin = await adminToken(app);
  const event = await createEvent(app, admin);
  const staff = await createStaff(app, admin, event.id);
  const known = [event.id, event.slug, staff.id];
  for (const type of ['cash', 'pledge', 'check']) {
    const { body } = await app.http
      .post('/donations')
      .auth(admin, { type: 'bearer' })
      .send({ eventId: event.id, amount: 100, type, message: 'Hello', donorName: 'Ada' });
    known.push((body as { id: string }).id);
  }
  return { description, known, tokens: [admin, admin, admin, staff.token, undefined, 'not.a.token'] };
}

const asText = ({ route, url, body }: Shot, problem: string) =>
  `${route.method} ${url} ${body?.slice(0, 300) ?? ''} → ${problem}`;

/** All routes in turn, so that a run cut by time has tried each. */
async function runRound(round: number, until: number): Promise<{ tried: number; problems: string[] }> {
  const world = await newWorld();
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
  return { tried: tried + packets.length, problems };
}

describe('any request and packet made from the descriptions', () => {
  it(
    `gets an answer that they know, and leaves clean texts and right books, in up to ${REQUESTS} tries`,
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
        `FUZZ_SEED=${SEED}: ${tried} requests and packets, ${problems.length} wrong; ${read} texts read, ${unclean.length} unclean\n`,
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
