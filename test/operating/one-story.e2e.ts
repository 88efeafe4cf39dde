import { describe, expect, it } from '@jest/globals';
import { KeyRing } from '../../src/common/crypto/key-ring.js';
import type { AppConfig } from '../../src/config/app-config.js';
import { donorTokenOf } from '../../src/donations/donors/donor-token.js';
import { TEST_SECRETS } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { DonationBook } from '../support/donations.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { startServerProcess } from '../support/process.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

/** An operator can find all log lines of a request by its request id. */

const database = withOpened(() => createTestDatabase());
const server = withOpened(() => startServerProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info' }));

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly requestId?: string;
  readonly errorCode?: string;
  readonly err?: { sqlState?: string; constraint?: string };
}

const linesOf = (id: string): Line[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ requestId }) => requestId === id);

const ask = (id: string, path: string, body: object, token?: string) =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-request-id': id,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });

const WARN = 40;

describe('log', () => {
  it('a failed sign-in logs a warning with its request id', async () => {
    await ask('sign-in-1', '/auth/login', { email: 'nobody@example.org', password: 'not the right one' });
    const refused = () => linesOf('sign-in-1').filter(({ msg }) => msg === 'POST /auth/login refused');
    await until(() => refused().length > 0, 'a line');
    expect(refused()).toMatchObject([{ level: WARN }]);
    expect(server.output()).not.toContain('nobody@example.org');
  });

  it('a rejected webhook event logs a warning', async () => {
    await ask('webhook-1', '/donations/cardprocessor/webhook', { forged: true });
    await until(() => linesOf('webhook-1').length > 0, 'a line');
    expect(linesOf('webhook-1')[0]?.level).toBeGreaterThanOrEqual(WARN);
  });

  it('a database error logs its code with the request id', async () => {
    await sql({ databaseUrl: database.url }, 'ALTER TABLE admin RENAME TO admin_gone');
    try {
      await ask('broken-1', '/auth/login', { email: 'a@example.org', password: 'not the right one' });
      await until(() => linesOf('broken-1').length > 0, 'a line');
      expect(linesOf('broken-1').find(({ err }) => err)?.err).toMatchObject({ sqlState: '42P01' });
    } finally {
      await sql({ databaseUrl: database.url }, 'ALTER TABLE admin_gone RENAME TO admin');
    }
  });

  it('accepted, refused and failed records log their request ids', async () => {
    const book = new DonationBook({ databaseUrl: database.url });
    const { id: eventId } = await book.event();
    const { email } = await createAdmin({ databaseUrl: database.url });
    const signIn = await ask('sign-in-2', '/auth/login', { email, password: ADMIN_PASSWORD });
    const { accessToken } = (await signIn.json()) as { accessToken: string };
    const record = (id: string, amount: number) =>
      ask(id, '/donations', { eventId, amount, type: 'cash' }, accessToken);
    expect((await record('record-1', 500)).status).toBe(201);
    expect((await record('record-2', -500)).status).toBe(400);
    await sql({ databaseUrl: database.url }, 'ALTER TABLE donation RENAME TO donation_gone');
    try {
      expect((await record('record-3', 500)).status).toBe(500);
    } finally {
      await sql({ databaseUrl: database.url }, 'ALTER TABLE donation_gone RENAME TO donation');
    }
    const said = (id: string) => linesOf(id).map(({ msg }) => msg);
    await until(() => said('record-3').length > 0, 'the last line');
    expect(said('record-1')).toEqual(['Donation recorded']);
    expect(said('record-2')).toEqual(['POST /donations refused']);
    expect(said('record-3')).toContain('POST /donations failed');
  });

  it.each(['info', 'debug'])(
    'the log at level %s contains no donor token and no e-mail address in a path',
    async (level) => {
      const other = await startServerProcess({ DATABASE_URL: database.url, LOG_LEVEL: level });
      const book = new DonationBook({ databaseUrl: database.url });
      try {
        const keys = new KeyRing({ pinSecret: TEST_SECRETS.PIN_SECRET } as AppConfig);
        const token = donorTokenOf(keys, await book.give((await book.event()).id));
        const answer = await fetch(`${other.url}/donations/mine/${token}/receipt`);
        expect(await answer.json()).toMatchObject({ code: 'RECEIPT_DOWNLOAD_OFF' });
        await fetch(`${other.url}/donors/ada%40example.org`);
        await until(() => other.output().includes('UNAUTHORIZED'), 'the last line');
        expect(other.output()).not.toContain(token);
        expect(other.output()).toContain('GET /donations/mine/[secret]/receipt refused');
        expect(other.output()).toContain('GET /donors/[e-mail] refused');
      } finally {
        await other.stop();
      }
    },
  );
});
