import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { sql } from '../support/fixtures.js';
import { withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';

describe('a database role without table privileges', () => {
  const role = `refused_${randomBytes(6).toString('hex')}`;
  const database = withOpened(() => createTestDatabase());
  afterAll(() => sql({ databaseUrl: database.url }, `DROP OWNED BY ${role}; DROP ROLE ${role}`));
  beforeAll(async () => {
    const admin = { databaseUrl: database.url };
    await sql(admin, `CREATE ROLE ${role} LOGIN PASSWORD 'a-password'`);
    await sql(admin, `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
    await sql(admin, `GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  });
  const app = withService(() => {
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'a-password'];
    return startApp({}, {}, url.href);
  });

  it('GET /health/ready does not call the database unreachable if the role lacks table privileges', async () => {
    await app.http.get('/health/ready').expect(200);
    await sql({ databaseUrl: database.url }, `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`);
    await until(async () => (await app.http.get('/health/ready')).status === 503, 'a readiness that notices');
    const { body } = await app.http.get('/health/ready').expect(503);
    expect(body).toMatchObject({ details: { database: { status: 'down', message: 'permission denied' } } });
  });
});
