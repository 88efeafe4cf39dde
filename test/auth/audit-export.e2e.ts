import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { parseCsv } from '../export/parse-csv.js';
import { adminToken, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);
const bearer = { type: 'bearer' } as const;

const download = async (query: Record<string, string> = {}, token = admin.token) =>
  await supertest(app.url).get('/audit/export').query(query).auth(token, bearer).expect(200);
const insert = (action: string, detail: object, client: string | null = null) =>
  sql(
    app,
    `INSERT INTO audit_entry (id, actor_kind, actor_id, action, subject_id, detail, address, client)
     VALUES ($1, 'system', NULL, $2, 'thing', $3, '203.0.113.7', $4)`,
    [newId(), action, JSON.stringify(detail), client],
  );

describe('GET /audit/export', () => {
  it('admins and accountants export the filtered audit entries as CSV, newest first, and the audit records it', async () => {
    await insert('thing.first', { fields: ['a', 'b'] }, 'Firefox on Windows');
    await insert('thing.second', {});
    const accountant = await adminToken(app, 'ACCOUNTANT');
    const response = await download({ action: 'thing' }, accountant);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers['content-disposition']).toMatch(
      /^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"/,
    );
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.text.startsWith('\uFEFFcreatedAt,actor,')).toBe(true);
    const [header, ...rows] = parseCsv(response.text.slice(1));
    expect(header).toEqual([
      'createdAt',
      'actor',
      'actorId',
      'action',
      'subjectId',
      'detail',
      'address',
      'client',
      'id',
    ]);
    expect(rows.map((row) => row.slice(3, 8).filter((_, column) => column !== 1))).toEqual([
      ['thing.second', '', '203.0.113.7', ''],
      ['thing.first', '{"fields":["a","b"]}', '203.0.113.7', 'Firefox on Windows'],
    ]);
    const [entry] = await sql<{ actor_kind: string; detail: unknown }>(
      app,
      "SELECT actor_kind, detail FROM audit_entry WHERE action = 'audit.export'",
    );
    expect(entry).toEqual({ actor_kind: 'accountant', detail: { filters: ['action'] } });
  });

  it('the audit CSV escapes formulas, so that a spreadsheet runs none', async () => {
    await insert('=1+1', {}, '@SUM(A1)');
    const { text } = await download({ action: '=1+1' });
    const [, row] = parseCsv(text.slice(1));
    expect([row?.[3], row?.[7]]).toEqual(["'=1+1", "'@SUM(A1)"]);
  });

  it('the audit export has only the header if no entry matches, and may contain thousands of entries', async () => {
    const { text } = await download({ to: '2020-01-01T00:00:00Z' });
    expect(parseCsv(text.slice(1))).toHaveLength(1);
    await sql(
      app,
      `INSERT INTO audit_entry (id, actor_kind, action, detail)
       SELECT gen_random_uuid(), 'system', 'many.entries', '{}' FROM generate_series(1, 2500)`,
    );
    const many = await download({ action: 'many' });
    const ids = parseCsv(many.text.slice(1))
      .slice(1)
      .map((row) => row[8]);
    expect(new Set(ids).size).toBe(2500);
    expect(ids).toEqual([...ids].sort().reverse());
  });

  it('refuses invalid filters and paging parameters of the audit export', async () => {
    for (const query of ['actor=nobody', 'from=yesterday', 'limit=3', 'cursor=x'])
      await supertest(app.url).get(`/audit/export?${query}`).auth(admin.token, bearer).expect(400);
  });
});

describe('audit of changed settings', () => {
  it('the audit records the changed settings with old and new values and the client, without personal data', async () => {
    await supertest(app.url)
      .patch('/settings/global')
      .set('User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0')
      .auth(admin.token, bearer)
      .send({
        timezone: 'Europe/Berlin',
        legal: { signatory: 'Ada Lovelace' },
        donation: { minAmount: 500, maxAmount: null },
        organization: 'x'.repeat(150),
      })
      .expect(200);
    const { body } = await supertest(app.url)
      .get('/audit?action=settings')
      .auth(admin.token, bearer)
      .expect(200);
    const [entry] = (body as { data: { client: string; detail: unknown }[] }).data;
    expect(entry).toMatchObject({ client: 'Firefox on Linux' });
    expect(entry?.detail).toEqual({
      fields: ['timezone', 'legal.signatory', 'donation.minAmount', 'donation.maxAmount', 'organization'],
      before: { timezone: null, 'donation.minAmount': null, organization: null },
      after: { timezone: 'Europe/Berlin', 'donation.minAmount': 500, organization: '(150 characters)' },
      currency: 'eur',
    });
  });
});
