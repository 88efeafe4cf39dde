import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';

const ROWS = 300_000;
/** What a download may take beyond what the process held before it, however many rows it has. */
const OVER_IDLE_MB = 60;

let database: TestDatabase;
let server: ServerProcess;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServerProcess({ DATABASE_URL: database.url });
  const { email, password } = await seedAdmin({ databaseUrl: database.url, email: 'ada@example.org' });
  ({ accessToken: token } = await post<{ accessToken: string }>('/auth/login', { email, password }));
  const { id } = await post<{ id: string }>('/events', { name: 'Gala', slug: 'gala', goalAmount: 1 });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, message,
       completed_at, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 100 + i, 'eur', 'cash', 'COMPLETED', 'Donor Number ' || i,
       'donor' || i || '@example.org', 'Keep up the good work, from all of us!', now(), now(), now()
     FROM generate_series(1, $2::int) AS i`,
    [id, ROWS],
  );
  await client.end();
}, 120_000);
afterAll(async () => {
  await server.stop();
  await database.drop();
});

async function post<Body>(path: string, body: object): Promise<Body> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([path, response.ok]).toEqual([path, true]);
  return (await response.json()) as Body;
}

/** Bytes of the file, read at a pace of its own. */
async function download(pauseMs: number, pauseEveryMb: number): Promise<number> {
  const { body, status } = await fetch(`${server.url}/donations/export?eventId=gala`, {
    headers: { authorization: `Bearer ${token}` },
  });
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

/** In MB: what the process holds, and the most it ever held. */
function memory(): { now: number; peak: number } {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mb('VmRSS'), peak: mb('VmHWM') };
}

describe('the memory of a download', () => {
  it('does not grow with its rows, for quick readers, slow ones and several at once', async () => {
    const { now: idle } = memory();
    const sizes = await Promise.all([download(0, 100), download(20, 1), download(300, 20)]);
    for (const size of sizes) expect(size).toBeGreaterThan(ROWS * 150);
    expect(new Set(sizes).size).toBe(1);
    expect(memory().peak - idle).toBeLessThan(OVER_IDLE_MB);
  }, 120_000);
});
