import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { MetricsServer } from '../../src/health/metrics-server.js';
import { startPaymentsApp, type PaymentsApp } from '../support/payments.js';
import { adminToken, createEvent, type EventFixture } from '../support/fixtures.js';
import { describeWithTool } from '../support/tools.js';

let app: PaymentsApp;
let token: string;
let event: EventFixture;

beforeAll(async () => {
  app = await startPaymentsApp({ METRICS_PORT: '0' });
  token = await adminToken(app);
  event = await createEvent(app, token);
}, 60_000);
afterAll(() => app.close());

const metrics = async () =>
  (await supertest(`http://127.0.0.1:${app.app.get(MetricsServer).port ?? 0}`).get('/metrics')).text;

describe('the metrics', () => {
  it('count recordings, webhook events, questions to providers and refused requests', async () => {
    await app.http
      .post('/donations')
      .auth(token, { type: 'bearer' })
      .send({ amount: 100, type: 'cash', eventId: event.id })
      .expect(201);
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 500, currency: 'eur', metadata: { eventId: event.id } })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret.replace(/_secret_.*$/, ''));
    await app.sandbox.settled();
    await app.http.post('/donations/cardprocessor/webhook').send({ forged: true }).expect(400);
    const text = await metrics();
    for (const line of [
      /^donations_recorded_total\{type="cash",result="recorded"\} 1$/m,
      /^webhook_events_total\{provider="stripe",outcome="booked"\} 1$/m,
      /^webhook_events_total\{provider="stripe",outcome="rejected"\} 1$/m,
      /^provider_request_duration_seconds_count\{provider="stripe",call="createPayment",result="answered"\} 1$/m,
      /^requests_refused_total\{code="\w+"\} 1$/m,
    ])
      expect(text).toMatch(line);
  });

  it('are all that the dashboard and the alert rules ask for', async () => {
    const text = await metrics();
    const known = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const asked = ['alerts.yml', 'grafana-dashboard.json'].flatMap((file) =>
      (readFileSync(`docs/deploy/${file}`, 'utf8').match(/\b[a-z]+(_[a-z0-9]+)+\b/g) ?? []).map((name) =>
        name.replace(/_(bucket|count|sum)$/, ''),
      ),
    );
    const series = asked.filter((name) => /_(seconds|total|unsettled|open|waiting|connections)$/.test(name));
    expect(series.length).toBeGreaterThan(15);
    expect(series.filter((name) => !known.has(name))).toEqual([]);
  });
});

describeWithTool('promtool', 'the alert rules', () => {
  it('are accepted by promtool', () => {
    expect(execFileSync('promtool', ['check', 'rules', 'docs/deploy/alerts.yml']).toString()).toContain(
      'SUCCESS',
    );
  });
});
