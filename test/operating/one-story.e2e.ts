import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { sql } from '../support/fixtures.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { until } from '../support/until.js';

/** What a request did is found in the log by its id. */

let database: TestDatabase;
let server: ServerProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServerProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info' });
}, 90_000);
afterAll(async () => {
  await server.stop();
  await database.drop();
});

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

const ask = (id: string, path: string, body: object) =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id },
    body: JSON.stringify(body),
  });

const WARN = 40;

describe('the log', () => {
  it('has a failed sign-in as a warning with the id of its request', async () => {
    await ask('sign-in-1', '/auth/login', { email: 'nobody@example.org', password: 'not the right one' });
    const refused = () => linesOf('sign-in-1').filter(({ msg }) => msg === 'POST /auth/login refused');
    await until(() => refused().length > 0, 'a line');
    expect(refused()).toMatchObject([{ level: WARN }]);
    expect(server.output()).not.toContain('nobody@example.org');
  });

  it('has a rejected webhook event as a warning', async () => {
    await ask('webhook-1', '/donations/cardprocessor/webhook', { forged: true });
    await until(() => linesOf('webhook-1').length > 0, 'a line');
    expect(linesOf('webhook-1')[0]?.level).toBeGreaterThanOrEqual(WARN);
  });

  it("has an error of the database with its code, in the lines of the request's id", async () => {
    await sql({ databaseUrl: database.url }, 'ALTER TABLE admin RENAME TO admin_gone');
    try {
      await ask('broken-1', '/auth/login', { email: 'a@example.org', password: 'not the right one' });
      await until(() => linesOf('broken-1').length > 0, 'a line');
      expect(linesOf('broken-1').find(({ err }) => err)?.err).toMatchObject({ sqlState: '42P01' });
    } finally {
      await sql({ databaseUrl: database.url }, 'ALTER TABLE admin_gone RENAME TO admin');
    }
  });
});
