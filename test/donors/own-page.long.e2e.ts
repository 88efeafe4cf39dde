import { Agent, request } from 'node:http';
import { expect, it } from '@jest/globals';
import { KeyRing } from '../../src/common/crypto/key-ring.js';
import { donorKeyOf } from '../../src/donations/recording/new-donation.js';
import { insertManyDonations } from '../support/donation-rows.js';
import { createEvent, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

const REQUESTS = 10_000;
const SOCKETS = 4;
/** Two equal distributions have p ≤ 0.05 in one of twenty samples. So a sample with a difference is repeated. */
const SAMPLES = 3;

const mail = withOpened(() => MailServer.start());
const { app, admin } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL, trustProxy: 1 }),
});

type Kind = 'known' | 'unknown';

/** A second try of the test has addresses of its own, because each address may have three links an hour. */
let tries = 0;

const addressOf = (kind: Kind, number: number) => `${kind}-${tries}-${number}@timing.example`;

/** Stores one donation of each known address. */
async function giveAll(count: number): Promise<void> {
  tries++;
  linksBefore = await links();
  const keys = app.app.get(KeyRing, { strict: false });
  const { id } = await createEvent(app, admin.token);
  await insertManyDonations(app, id, count, { donor_email: `'known-${tries}-' || i || '@timing.example'` });
  const emails = Array.from({ length: count }, (_, index) => addressOf('known', index + 1));
  await sql(
    app,
    `UPDATE donation SET donor_key = k.key FROM unnest($1::text[], $2::bytea[]) AS k (email, key)
     WHERE donation.donor_email = k.email`,
    [emails, emails.map((email) => donorKeyOf(keys, email))],
  );
}

/** Requests a link from a network of its own. Returns the time to the whole answer, in milliseconds. */
function ask(agent: Agent, email: string, network: number): Promise<number> {
  const body = `email=${encodeURIComponent(email)}`;
  return new Promise((done, fail) => {
    const started = performance.now();
    const sent = request(
      `${app.url}/me?lang=en`,
      {
        agent,
        method: 'POST',
        headers: {
          Accept: 'text/html',
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': Buffer.byteLength(body),
          'X-Forwarded-For': `2001:db8:${network.toString(16)}::1`,
        },
      },
      (response) => {
        response.on('end', () => {
          const time = performance.now() - started;
          if (response.statusCode === 200) done(time);
          else fail(new Error(`Status ${String(response.statusCode)}`));
        });
        response.resume();
      },
    );
    sent.on('error', fail);
    sent.end(body);
  });
}

/** A random order, so that the work after an answer delays requests of both kinds equally. */
function shuffled<Item>(items: Item[]): Item[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other] as Item, items[last] as Item];
  }
  return items;
}

/** The probability that two samples of one distribution differ at least this much (Kolmogorov and Smirnov, asymptotic). */
function probabilityOfSame(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [one, other].map((sample) => [...sample].sort((x, y) => x - y)) as [number[], number[]];
  let [i, j, distance] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const at = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    while ((a[i] ?? Infinity) <= at) i++;
    while ((b[j] ?? Infinity) <= at) j++;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const size = Math.sqrt((a.length * b.length) / (a.length + b.length));
  const lambda = (size + 0.12 + 0.11 / size) * distance;
  let sum = 0;
  for (let k = 1; k <= 100; k++) sum += 2 * (-1) ** (k - 1) * Math.exp(-2 * k * k * lambda * lambda);
  return Math.min(1, Math.max(0, sum));
}

let network = 0;
let linksBefore = 0;

/** Number of links: only known addresses get one. */
const links = async () => {
  const [row] = await sql<{ n: number }>(
    app,
    "SELECT count(*)::int AS n FROM audit_entry WHERE action = 'donor.request_link' AND subject_id IS NOT NULL",
  );
  return row?.n ?? 0;
};

/** The times of 10,000 answers, half of them for known addresses. Each address may have three links an hour. */
async function measure(): Promise<Record<Kind, number[]>> {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const kinds: readonly Kind[] = ['known', 'unknown'];
  const waiting = shuffled(
    Array.from({ length: REQUESTS / 2 }, (_, index) =>
      kinds.map((kind) => ({ kind, number: index + 1 })),
    ).flat(),
  );
  const times: Record<Kind, number[]> = { known: [], unknown: [] };
  await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop())
        times[next.kind].push(await ask(agent, addressOf(next.kind, next.number), ++network));
    }),
  );
  agent.destroy();
  return times;
}

it('answers to 10,000 requests for a link take equally long for known and unknown addresses (p > 0.05)', async () => {
  await giveAll(REQUESTS / 2);
  const found: number[] = [];
  for (let sample = 0; sample < SAMPLES && !found.some((p) => p > 0.05); sample++) {
    const { known, unknown } = await measure();
    expect([known.length, unknown.length]).toEqual([REQUESTS / 2, REQUESTS / 2]);
    // The test finds a difference of a tenth.
    expect(
      probabilityOfSame(
        known,
        known.map((time) => 1.1 * time),
      ),
    ).toBeLessThan(0.001);
    found.push(probabilityOfSame(known, unknown));
    await until(async () => (await links()) - linksBefore === REQUESTS / 2, 'a link for each known address', {
      everyMs: 200,
    });
    linksBefore += REQUESTS / 2;
  }
  expect(Math.max(...found)).toBeGreaterThan(0.05);
}, 300_000);
