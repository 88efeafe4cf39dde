import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import type { PlayDto } from '../../src/rehearsal/play/dto/play.dto.js';
import type { RehearsalDto } from '../../src/rehearsal/dto/rehearsal.dto.js';
import type { RehearsalReport } from '../../src/rehearsal/report/dto/report.dto.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { rowsNaming } from '../support/rows-naming.js';
import { until } from '../support/until.js';

const GUESTS = 500;
const PATIENCE = { everyMs: 250, timeoutMs: 240_000 };
/** Records in the queue of each till. */
const QUEUED = 25;

let database: TestDatabase;
let sandbox: Sandbox;
let servers: ServerProcess[];
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  database = await createTestDatabase();
  sandbox = await startSandbox({ stripe: STRIPE, paypal: PAYPAL });
  environment = { ...providerEnvironment(sandbox), DATABASE_URL: database.url };
  await startBoth();
}, 90_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await sandbox.close();
  await database.drop();
});

async function startBoth(): Promise<void> {
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
}

/** Sends a request to the first server. */
async function call<Answer>(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Promise<Answer> {
  const answer = await fetch(`${servers[0]?.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Answer;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function signIn(email: string): Promise<Readonly<Record<string, string>>> {
  const body = { email, password: ADMIN_PASSWORD };
  return bearer((await call<{ accessToken: string }>('POST', '/auth/login', {}, body)).accessToken);
}

interface Queue {
  readonly records: readonly { readonly key: string; readonly body: object }[];
  readonly token: string;
}

/** An enrolled till without network: it keeps the records that a volunteer makes. */
async function offlineTill(
  admin: Readonly<Record<string, string>>,
  realId: string,
  eventId: string,
  name: string,
): Promise<Queue> {
  const made = await call<{ code: string }>('POST', '/terminals/codes', admin, { name });
  const { deviceToken } = await call<{ deviceToken: string }>(
    'POST',
    '/terminals/enrol',
    {},
    { code: made.code },
  );
  const member = await call<{ id: string; code: string }>('POST', '/staff', admin, { name: `${name} team` });
  for (const id of [realId, eventId]) await call('POST', `/events/${id}/staff/${member.id}`, admin);
  const { accessToken } = await call<{ accessToken: string }>(
    'POST',
    '/auth/staff/login',
    { 'x-device-token': deviceToken },
    { code: member.code, eventId },
  );
  const recordedAt = new Date(Date.now() - 60_000).toISOString();
  const records = Array.from({ length: QUEUED }, (_, index) => ({
    key: randomUUID(),
    body: { eventId, amount: 1_000 + index, type: 'cash', donorName: `${name} guest ${index}`, recordedAt },
  }));
  return { records, token: accessToken };
}

const sendQueue = ({ records, token }: Queue) =>
  Promise.all(
    records.map(({ key, body }) =>
      call<{ id: string }>('POST', '/donations', { ...bearer(token), 'idempotency-key': key }, body),
    ),
  );

describe('a whole evening as a rehearsal, on two servers', () => {
  it('a whole evening books each gift of 500 guests and two offline tills once, although both servers are killed, and leaves nothing behind', async () => {
    const admin = await signIn((await createAdmin({ databaseUrl: database.url })).email);
    const fields = { name: 'Gala', slug: 'gala', goalAmount: 1_000_000, status: 'active' };
    const { id: realId } = await call<{ id: string }>('POST', '/events', admin, fields);
    const path = '/events/gala/rehearsal';
    const { eventId } = await call<RehearsalDto>('POST', path, admin, { withNames: false, mailTo: [] });
    const tills = [
      await offlineTill(admin, realId, eventId, 'Bar'),
      await offlineTill(admin, realId, eventId, 'Entrance'),
    ];
    await call('POST', `${path}/play`, admin, { guests: GUESTS, minutes: 1 });
    const playing = () => call<PlayDto>('GET', `${path}/play`, admin);
    const sent: string[] = [];
    for (const [index, share] of [0.2, 0.6].entries()) {
      await until(async () => (await playing()).done >= GUESTS * share, `${share} of the guests`, PATIENCE);
      await Promise.all(servers.map((server) => server.kill('SIGKILL')));
      await startBoth();
      const till = tills[index];
      if (!till) throw new Error('There is a till for each kill');
      // The till got no answer the first time, so it sends its queue again.
      await sendQueue(till);
      sent.push(...(await sendQueue(till)).map(({ id }) => id));
    }
    await until(async () => (await playing()).endedAt !== null, 'the end of the evening', PATIENCE);
    const { figures, done, reason } = await playing();
    expect({ done, reason, errors: figures.errors }).toEqual({ done: GUESTS, reason: 'finished', errors: 0 });
    expect(figures.cash + figures.pledges + figures.online).toBe(GUESTS);
    expect(figures.refunded).toBeGreaterThan(0);
    const { checks } = await call<RehearsalReport>('GET', `${path}/report`, admin);
    const stateOf = (name: string) => checks.find((check) => check.name === name);
    for (const name of ['evening', 'queues', 'terminals', 'pins'])
      expect(stateOf(name)).toMatchObject({ state: 'passed', missing: [] });

    const app = { databaseUrl: database.url };
    const rows = await sql<{ id: string; is_of_till: boolean }>(
      app,
      'SELECT id, terminal_id IS NOT NULL AS is_of_till FROM donation WHERE event_id = $1',
      [eventId],
    );
    expect(
      rows
        .filter((row) => row.is_of_till)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(sent.sort());
    expect(new Set(sent).size).toBe(2 * QUEUED);
    await call('DELETE', path, admin);
    const isGone = async () => 'code' in (await call<object>('GET', path, admin));
    await until(isGone, 'the deletion', PATIENCE);
    const { audit_entry: _, ...left } = await rowsNaming(app, [eventId, ...rows.map(({ id }) => id)]);
    expect(left).toEqual({});
  }, 420_000);
});
