import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { createTestDatabase } from '../support/database.js';
import { startServerProcess } from '../support/process.js';
import { withOpened } from '../support/setup.js';

/** Files of more than the bound: what kept one would show. */
const ROWS = 600_000;
const RECEIPTS = 7_000;
/** What more downloads may take beyond what the process holds after one, in MB. */
const OVER_IDLE = 100;

const database = withOpened(() => createTestDatabase());
const server = withOpened(() =>
  startServerProcess({ DATABASE_URL: database.url, NODE_OPTIONS: '--max-semi-space-size=16' }),
);
let token: string;

beforeAll(async () => {
  // What Node 20 allows for new objects; Node 24 takes twice as much for any work.
  const { email, password } = await seedAdmin({ databaseUrl: database.url, email: 'ada@example.org' });
  ({ accessToken: token } = await post<{ accessToken: string }>('/auth/login', { email, password }));
  await fill('gala', ROWS);
  await fill('fair', RECEIPTS);
}, 120_000);

async function post<Body>(path: string, body: object): Promise<Body> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([path, response.ok]).toEqual([path, true]);
  return (await response.json()) as Body;
}

/** Of the year 2025, as the service makes them: a ZIP has what is older than itself. */
const timeOrdered = (number: string) =>
  `(lpad(to_hex(1760000000000 + ${number}), 12, '0') || '7' || '000' || '8' || right(md5(random()::text), 15))::uuid`;

async function fill(slug: string, donations: number): Promise<void> {
  const { id } = await post<{ id: string }>('/events', { name: 'Gala', slug, goalAmount: 1 });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, message,
       completed_at, created_at, updated_at)
     SELECT ${timeOrdered('i')}, $1, 100 + i, 'eur', 'cash', 'COMPLETED', 'Donor Number ' || i,
       'donor' || i || '@example.org', 'Keep up the good work, from all of us!', now(), now(), now()
     FROM generate_series(1, $2::int) AS i`,
    [id, donations],
  );
  await client.end();
}

/** Bytes of the file, read at a pace of its own. */
async function download(path: string, pauseMs: number, pauseEveryMb: number): Promise<number> {
  const { body, status, headers } = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  const retryAfter = headers.get('retry-after');
  if (status === 503 && retryAfter !== null) {
    // The server has no connection to spare for now, as it may say: this is about memory.
    await sleep(Number(retryAfter) * 1_000);
    return await download(path, pauseMs, pauseEveryMb);
  }
  expect(status).toBe(200);
  let [bytes, next] = [0, 0];
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes < next) continue;
    next += pauseEveryMb * 1e6;
    await sleep(pauseMs);
  }
  return bytes;
}

/** In MB: what the process holds, and the most it held since that was last forgotten. */
function memory(): { now: number; peak: number } {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mb('VmRSS'), peak: mb('VmHWM') };
}

/** How many MB the process held more than before, at the most. */
async function growth(work: () => Promise<void>): Promise<number> {
  // Forgets the most so far.
  writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5');
  const { now: idle } = memory();
  await work();
  return memory().peak - idle;
}

describe('the memory of a download', () => {
  it('does not grow with the rows of a CSV, for quick readers, slow ones and several at once', async () => {
    const csv = '/donations/export?eventId=gala';
    // The room that V8 takes for new objects is there from the first one on.
    await download(csv, 0, 100);
    const grown = await growth(async () => {
      const sizes = await Promise.all([download(csv, 0, 100), download(csv, 20, 1), download(csv, 300, 20)]);
      for (const size of sizes) expect(size).toBeGreaterThan(OVER_IDLE * 1e6);
      expect(new Set(sizes).size).toBe(1);
    });
    expect(grown).toBeLessThan(OVER_IDLE);
  }, 120_000);

  it('grows by no more than the bound for pages of 1,000 donations, 32 asked for at once', async () => {
    const page = '/donations?eventId=gala&limit=1000';
    const pages = async (count: number) => {
      const sizes = await Promise.all(Array.from({ length: count }, () => download(page, 20, 0.2)));
      for (const size of sizes) expect(size).toBeGreaterThan(500_000);
    };
    await pages(4);
    expect(await growth(() => pages(32))).toBeLessThan(OVER_IDLE);
  }, 120_000);

  it('does not grow with the receipts of a ZIP, nor with its readers', async () => {
    const zip = '/export/receipts/zip?eventId=fair';
    // Gives the receipts their numbers, and starts the thread that draws them.
    await download(zip, 0, 100);
    const grown = await growth(async () => {
      const sizes = await Promise.all([download(zip, 0, 100), download(zip, 20, 1)]);
      for (const size of sizes) expect(size).toBeGreaterThan(OVER_IDLE * 1e6);
    });
    expect(grown).toBeLessThan(OVER_IDLE);
  }, 480_000);
});
