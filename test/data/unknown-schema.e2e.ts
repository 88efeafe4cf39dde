import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import type { OutboxRelay } from '../../src/outbox/outbox-relay.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { startRelay } from '../support/relay.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';

const UNKNOWN = '99991231235959_rename_what_old_servers_read';

describe('a server of the previous release after an unknown migration', () => {
  const { app, admin, event } = withEvent({ start: startPaymentsApp });
  const folder = mkdtempSync(join(tmpdir(), 'donations-newer-'));
  let newer: OutboxRelay | undefined;

  beforeAll(() => {
    cpSync('prisma/migrations', folder, { recursive: true });
    mkdirSync(join(folder, UNKNOWN));
    writeFileSync(join(folder, UNKNOWN, 'migration.sql'), 'SELECT 1;');
  });
  afterAll(async () => {
    await newer?.beforeApplicationShutdown();
    rmSync(folder, { recursive: true, force: true });
  });

  const record = async () =>
    (await admin.post('/donations', { amount: 100, type: 'cash', eventId: event.id })).status;
  const donations = () => sql(app, 'SELECT id FROM donation');

  it('an old server refuses writes, continues to answer reads, and leaves the relay to the newer release', async () => {
    expect(await record()).toBe(201);
    const { body: intent } = await app.http
      .post('/donations/intent')
      .send({ amount: 500, currency: 'eur', metadata: { eventId: event.id } })
      .expect(201);

    // No timer runs in this test. The migration itself notifies the server.
    expect(await applyMigrations(app.databaseUrl, folder)).toEqual([UNKNOWN]);
    await until(async () => (await record()) === 503, 'a refused recording');
    // The server may have recorded donations until the notification arrived.
    const before = await donations();
    const denied = await app.http.post('/donations/intent').send({
      ...{ amount: 500, currency: 'eur' },
      metadata: { eventId: event.id },
    });
    expect(denied.status).toBe(503);
    expect(denied.headers['retry-after']).toBeDefined();
    // The provider sends the refused webhook again, and the newer release books it.
    app.sandbox.stripe.pay((intent as { clientSecret: string }).clientSecret.replace(/_secret_.*$/, ''));
    const webhooks = () => app.sandbox.stripe.deliveries.list().flatMap(({ attempts }) => attempts);
    await until(() => webhooks().some(({ status }) => status === 503), 'a refused webhook');
    await app.http.get(`/events/${event.slug}`).expect(200);
    await admin.get(`/donations?eventId=${event.id}`).expect(200);
    await until(async () => (await app.http.get('/health/ready')).status === 503, 'a readiness that says so');

    const delivered: string[] = [];
    newer = startRelay(app.databaseUrl, (rows) => {
      delivered.push(...rows.map(({ topic }) => topic));
      return Promise.resolve();
    });
    await sql(app, `INSERT INTO outbox (event_id, topic) VALUES ('${event.id}', 'donation.updated')`);
    await until(() => newer?.isLeader === true && delivered.length > 0, 'the relay of the newer release');
    expect(await donations()).toHaveLength(before.length);
  });

  it('an old server accepts writes again when the schema has only migrations that it knows', async () => {
    await sql(app, `DELETE FROM _prisma_migrations WHERE migration_name = '${UNKNOWN}'`);
    await sql(app, 'NOTIFY donations_changes');
    await until(async () => (await record()) === 201, 'a recording');
  });
});
