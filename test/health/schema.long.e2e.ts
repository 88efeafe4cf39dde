import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { migrationNames } from '../../src/data/schema/migrations.js';
import { createTestDatabase } from '../support/database.js';
import { sql } from '../support/fixtures.js';
import { startServerProcess } from '../support/process.js';
import { withService } from '../support/setup.js';
import { until } from '../support/until.js';

const add = (name: string) =>
  `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
   VALUES (gen_random_uuid()::text, 'x', '${name}', now())`;
const remove = (name: string) => `DELETE FROM _prisma_migrations WHERE migration_name = '${name}'`;

let newest: string;

beforeAll(async () => {
  newest = (await migrationNames()).at(-1) ?? '';
  expect(newest).not.toBe('');
});

describe('GET /health/ready', () => {
  const app = withService();

  /** All probes of one second share a result, so the test waits for the status. */
  const untilReady = async (status: number) => {
    let body: unknown;
    await until(async () => {
      const answer = await app.http.get('/health/ready');
      body = answer.body;
      return answer.status === status;
    }, `readiness ${status}`);
    return body as { message: string; details: { database: { message?: string } } };
  };

  it.each([
    [
      'older',
      () => remove(newest),
      () => add(newest),
      () => `The database schema is older than this release: missing ${newest}. Run "npm run migrate".`,
    ],
    [
      'newer',
      () => add('99991231235959_from_the_future'),
      () => remove('99991231235959_from_the_future'),
      () =>
        'The database schema is newer than this release. This release does not contain: 99991231235959_from_the_future. Run the newer release.',
    ],
    [
      'partly migrated',
      () => `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${newest}'`,
      () => `UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = '${newest}'`,
      () => `The database schema is older than this release: missing ${newest}. Run "npm run migrate".`,
    ],
  ])(
    'GET /health/ready answers 503 on a schema that is %s, names the migration and recovers without a restart',
    async (_, spoil, mend, why) => {
      await untilReady(200);
      await sql(app, spoil());
      const body = await untilReady(503);
      expect(body.message).toBe('Down: database');
      expect(body.details.database).toEqual({ status: 'down', message: why() });
      await sql(app, mend());
      await untilReady(200);
    },
  );

  it('GET /health/ready stays 200 after expanding migrations, so that old and new releases run together', async () => {
    await sql(app, add('99991231235959_expand_donation_phone'));
    await sleep(1_100);
    await app.http.get('/health/ready').expect(200);
    await sql(app, remove('99991231235959_expand_donation_phone'));
  });
});

describe('server start', () => {
  const start = async (change: string) => {
    const database = await createTestDatabase();
    const { Client } = (await import('pg')).default;
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(change);
    await client.end();
    try {
      const server = await startServerProcess({ DATABASE_URL: database.url });
      await server.stop();
    } finally {
      await database.drop();
    }
  };

  it.each([
    [
      'an empty',
      () => 'DROP SCHEMA public CASCADE; CREATE SCHEMA public',
      /older than this release: missing all \d+ migrations\. Run "npm run migrate"/,
    ],
    ['an older', () => remove(newest), /older than this release: missing \d+_\w+\. Run "npm run migrate"/],
    [
      'a newer',
      () => add('99991231235959_new'),
      /newer than this release. This release does not contain: 99991231235959_new\./,
    ],
  ])('the server does not start on %s schema and gives the reason in one line', async (_, change, why) => {
    const failure = await start(change()).catch((error: unknown) => error as Error);
    expect(failure?.message).toMatch(why);
    expect(failure?.message.trim().split('\n')).toHaveLength(2);
  });
});
