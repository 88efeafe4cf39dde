import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { MetricsServer } from '../../src/health/metrics-server.js';
import { startApp } from '../support/app.js';
import { sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';

/** When its disk is full, PostgreSQL still answers reads. Here a trigger raises the error that a full disk causes. */
const FULL_DISK = `
  CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
  END $$;
  CREATE TRIGGER full_disk BEFORE INSERT ON donation FOR EACH ROW EXECUTE FUNCTION full_disk();`;

describe('recordings on a full disk', () => {
  const { app, admin, event } = withEvent({ start: () => startApp({ METRICS_PORT: '0' }) });

  const record = async () =>
    (await admin.post('/donations', { amount: 100, type: 'cash', eventId: event.id })).status;
  const ready = async () => await app.http.get('/health/ready');
  const failingSeconds = async () => {
    const metrics = supertest(`http://127.0.0.1:${app.app.get(MetricsServer).port ?? 0}`);
    const { text } = await metrics.get('/metrics').expect(200);
    return Number(/^recordings_failing_seconds (\S+)$/m.exec(text)?.[1]);
  };

  it('failed recordings make the process unready and increase the alert metric until one succeeds', async () => {
    expect(await record()).toBe(201);
    expect((await ready()).status).toBe(200);
    expect(await failingSeconds()).toBe(0);

    await sql(app, FULL_DISK);
    for (let attempt = 0; attempt < 3; attempt++) expect(await record()).toBe(503);
    await until(async () => (await ready()).status === 503, 'a readiness that follows the recordings');
    expect((await ready()).body).toMatchObject({
      message: 'Down: database',
      details: { database: { status: 'down', message: 'recordings fail (53100)' } },
    });
    expect(await failingSeconds()).toBeGreaterThan(0);

    await sql(app, 'DROP TRIGGER full_disk ON donation');
    expect(await record()).toBe(201);
    await until(async () => (await ready()).status === 200, 'a readiness that recovers');
    expect(await failingSeconds()).toBe(0);
  });

  it('a donation with invalid data does not count as a failed recording', async () => {
    for (let attempt = 0; attempt < 5; attempt++)
      await admin
        .post('/donations', { amount: 100, type: 'cash', eventId: '00000000-0000-4000-8000-000000000000' })
        .expect(({ status }) => {
          expect(status).toBeLessThan(500);
        });
    expect(await failingSeconds()).toBe(0);
  });
});
