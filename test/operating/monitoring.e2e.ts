import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { z } from 'zod';
import { MetricsServer } from '../../src/health/metrics-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';
import { describeWithTool } from '../support/tools.js';

const { app, admin, event } = withEvent({ start: () => startPaymentsApp({ METRICS_PORT: '0' }) });

const metrics = async () =>
  (await supertest(`http://127.0.0.1:${app.app.get(MetricsServer).port ?? 0}`).get('/metrics')).text;

describe('Prometheus metrics', () => {
  it('the metrics count recordings, webhook events, provider requests and refused requests', async () => {
    await admin.post('/donations', { amount: 100, type: 'cash', eventId: event.id }).expect(201);
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

  it('the service exports every metric of the Grafana dashboard and the alert rules', async () => {
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

const datasource = z.object({ type: z.literal('prometheus'), uid: z.literal('${datasource}') });
/** Dashboard fields that Grafana 10 and newer know (schema 39, time series). The test treats any other field as a mistake. */
const dashboardSchema = z.strictObject({
  title: z.string().min(1),
  uid: z.string().regex(/^[a-z0-9-]{1,40}$/),
  schemaVersion: z.number().int().min(36),
  version: z.number().int(),
  time: z.strictObject({ from: z.string().regex(/^now-\d+[mhd]$/), to: z.literal('now') }),
  refresh: z.string().regex(/^\d+[smh]$/),
  tags: z.array(z.string()),
  templating: z.strictObject({
    list: z.array(
      z.strictObject({
        name: z.literal('datasource'),
        type: z.literal('datasource'),
        query: z.literal('prometheus'),
        current: z.object({}),
      }),
    ),
  }),
  panels: z
    .array(
      z.strictObject({
        id: z.number().int().positive(),
        type: z.literal('timeseries'),
        title: z.string().min(1),
        datasource,
        gridPos: z.strictObject({
          h: z.number().int().min(3),
          w: z.number().int().min(1).max(24),
          x: z.number().int().min(0).max(23),
          y: z.number().int().min(0),
        }),
        fieldConfig: z.strictObject({
          defaults: z.object({ unit: z.enum(['ops', 's', 'short', 'percentunit', 'reqps']) }),
          overrides: z.array(z.unknown()),
        }),
        targets: z
          .array(
            z.strictObject({
              refId: z.string().regex(/^[A-Z]$/),
              expr: z.string().min(1),
              legendFormat: z.string().min(1),
            }),
          )
          .min(1),
      }),
    )
    .min(5),
});

const dashboard = () =>
  dashboardSchema.parse(JSON.parse(readFileSync('docs/deploy/grafana-dashboard.json', 'utf8')));

describe('Grafana dashboard', () => {
  it('the dashboard has only known fields and unique panel ids, and no panels overlap', () => {
    const { panels, templating } = dashboard();
    expect(templating.list).toHaveLength(1);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const places = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
      expect({ title, fits: x + w <= 24 }).toEqual({ title, fits: true });
      return Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`);
    });
    expect(new Set(places).size).toBe(places.length);
    for (const { targets } of panels)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  });

  it('the dashboard uses only labels of its series, and legends only labels kept by their sums', async () => {
    const text = await metrics();
    const labelsOf = (name: string) =>
      new Set(
        [...text.matchAll(new RegExp(`^${name}(?:_bucket|_count|_sum)?\\{([^}]*)\\}`, 'gm'))].flatMap(
          ([, labels = '']) => [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label),
        ),
      );
    for (const { expr, legendFormat } of dashboard().panels.flatMap(({ targets }) => targets)) {
      const [name = ''] = /[a-z]+(_[a-z0-9]+)+(?=[[{)]|$)/.exec(expr) ?? [];
      const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? [];
      const kept = grouped.length > 0 ? grouped : ['instance', 'job'];
      const known = labelsOf(name.replace(/_(bucket|count|sum)$/, ''));
      expect({ expr, unknown: grouped.filter((label) => !known.has(label)) }).toEqual({ expr, unknown: [] });
      const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
      expect({ expr, unknown: legend.filter((label) => !kept.includes(label)) }).toEqual({
        expr,
        unknown: [],
      });
    }
  });
});

describeWithTool('promtool', 'alert rules by promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'donations-promtool-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const check = (...given: string[]) => execFileSync('promtool', given, { stdio: 'pipe' }).toString();

  it('promtool accepts the alert rules', () => {
    expect(check('check', 'rules', 'docs/deploy/alerts.yml')).toContain('SUCCESS');
  });

  it('promtool parses every expression of the dashboard', () => {
    const expressions = dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const rulesOf = (all: readonly string[]) => {
      const file = join(folder, 'panels.yml');
      const rules = all.map((expr, index) => ({ record: `panel:expression_${index}`, expr }));
      // Every JSON text is also valid YAML.
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
      return file;
    };
    expect(check('check', 'rules', rulesOf(expressions))).toContain(`${expressions.length} rules found`);
    expect(() => check('check', 'rules', rulesOf(['sum by (type (rate(x[1m]))']))).toThrow();
  });
});
