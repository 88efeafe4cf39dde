import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import supertest from 'supertest';
import { MetricsServer } from '../../src/health/metrics-server.js';
import { startApp } from '../support/app.js';
import { sql } from '../support/fixtures.js';
import { insertDonation } from '../support/donation-rows.js';
import { withService } from '../support/setup.js';

describe('metrics', () => {
  const app = withService(() => startApp({ METRICS_PORT: '0' }));
  let metricsUrl: string;

  const text = async () => (await supertest(metricsUrl).get('/metrics').expect(200)).text;

  beforeAll(async () => {
    metricsUrl = `http://127.0.0.1:${app.app.get(MetricsServer).port ?? 0}`;
  });

  it('the metrics count requests by method, route template and status, never by the sent path', async () => {
    await app.http.get('/events/no-such-event-7').expect(404);
    await app.http.get('/nothing/here/8').expect(404);
    await app.http.get('/events/public').expect(200);
    const metrics = await text();
    expect(metrics).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/events\/:slug",status="404"\} 1/,
    );
    expect(metrics).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/events\/public",status="200"\} 1/,
    );
    expect(metrics).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="unmatched",status="404"\} 1/,
    );
    expect(metrics).not.toMatch(/no-such-event|nothing\/here/);
  });

  it('the metrics contain the process and the connection pool', async () => {
    const metrics = await text();
    for (const name of [
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_seconds',
      'database_pool_connections',
      'database_pool_idle',
      'database_pool_waiting',
    ])
      expect(metrics).toContain(`# TYPE ${name} `);
  });

  it('the metrics show waiting payments, items that need attention and the delay of the walls', async () => {
    const [at] = await sql<{ id: string }>(
      app,
      `INSERT INTO event (id, slug, name, goal_amount, currency) VALUES (gen_random_uuid(), 'gala', 'Gala', 1, 'eur')
       RETURNING id`,
    );
    await insertDonation(app, at?.id ?? '', { type: 'card', status: 'PENDING' });
    await sql(
      app,
      `INSERT INTO refund (id, provider, payment_id, amount, currency, status, actor_kind, created_at, updated_at)
       VALUES (gen_random_uuid(), 'stripe', 'pi_1', 100, 'eur', 'pending', 'admin', now(), now())`,
    );
    await delay(1_100);
    const metrics = await text();
    expect(metrics).toMatch(/^donations_unsettled 1$/m);
    expect(metrics).toMatch(/^refunds_unsettled 1$/m);
    expect(metrics).toMatch(/^review_items_open 0$/m);
    expect(metrics).toMatch(/^outbox_oldest_unpublished_seconds 0$/m);
  });

  it('the metrics are only on their own port, and that port serves nothing else', async () => {
    await app.http.get('/metrics').expect(404);
    await supertest(metricsUrl).get('/events/public').expect(404);
    await supertest(metricsUrl).post('/metrics').expect(404);
  });

  it('without a configured port, metrics are not served', async () => {
    const other = await startApp();
    expect(other.app.get(MetricsServer).port).toBeUndefined();
    await other.close();
  });
});
