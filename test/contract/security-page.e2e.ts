import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';

/** Returns the tests that the page names. The page writes a path in backticks, then titles in curly quotes. */
function namedTests(text: string): [path: string, name: string][] {
  const named: [string, string][] = [];
  let path = '';
  for (const [, file, name] of text.replace(/\s+/g, ' ').matchAll(/`([^`]+)`|“([^”]+)”/g))
    if (name !== undefined) named.push([path, name]);
    else if (/\.(e2e|spec)\.ts$/.test(file ?? '')) path = file ?? '';
  return named;
}

describe('docs/security.md', () => {
  const text = readFileSync('docs/security.md', 'utf8');
  const named = namedTests(text);

  it('docs/security.md names a test for every threat', () => {
    const [, ...threats] = text.split('\n- **');
    expect(threats.length).toBeGreaterThan(40);
    for (const threat of threats.slice(0, -1)) expect(namedTests(threat).length).toBeGreaterThan(0);
    const [last = ''] = threats.at(-1)?.split('\n\n') ?? [];
    expect(namedTests(last).length).toBeGreaterThan(0);
  });

  it.each(named)('%s has a test named “%s”', (path, name) => {
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8').replaceAll("\\'", "'")).toContain(name);
  });
});

describe('the personal data of a donor', () => {
  it('personal data is readable only in the donation and its receipt, and encrypted or absent in all other tables', async () => {
    const app = await startApp();
    try {
      const token = await adminToken(app);
      const event = await createEvent(app, token);
      const donor = {
        donorName: 'Xanthippe Quux',
        donorEmail: 'xanthippe@quux.example',
        message: 'Kalamata',
      };
      const asked = (path: string, body: object) =>
        as(app, token).post(path).set('Idempotency-Key', 'one-key').send(body);
      const { body } = await asked('/donations', { amount: 500, type: 'cash', eventId: event.id, ...donor });
      const { id } = body as { id: string };
      await as(app, token).patch(`/donations/${id}`, { donorName: 'Xanthippe Quuz' }).expect(200);
      await as(app, token).get(`/donations?search=xanthippe`).expect(200);
      await as(app, token).get(`/donations/export?search=xanthippe`).expect(200);
      await as(app, token).get(`/export/receipts/${id}`).expect(200);
      const tables = await sql<{ name: string }>(
        app,
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      const holding: string[] = [];
      for (const { name } of tables) {
        const found = await sql(
          app,
          `SELECT 1 FROM "${name}" t WHERE lower(t::text) ~ 'xanthippe|quu[xz]|kalamata' LIMIT 1`,
        );
        if (found.length > 0) holding.push(name);
      }
      // A receipt is a document, so its row keeps the printed name.
      expect(holding.sort()).toEqual(['donation', 'receipt']);
    } finally {
      await app.close();
    }
  });
});
