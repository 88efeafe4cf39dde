import { describe, expect, it } from '@jest/globals';
import { CHECK_NAMES } from '../../src/health/checks/check.js';
import type { InstallationReport } from '../../src/health/dto/installation-checks.dto.js';
import { startApp } from '../support/app.js';
import { adminToken } from '../support/fixtures.js';
import { as } from '../support/bearer.js';
import { withAdmin, withService } from '../support/setup.js';

describe('GET /health/checks', () => {
  const app = withService(() => startApp());
  const admin = withAdmin(app);
  const one = (body: unknown, name: string) =>
    (body as InstallationReport).checks.find(({ check }) => check === name);

  it('an admin reads all checks of npm run doctor from the running server', async () => {
    const { body } = await admin.get('/health/checks').expect(200);
    expect((body as InstallationReport).checks.map(({ check }) => check).sort()).toEqual(
      [...CHECK_NAMES].sort(),
    );
    expect(one(body, 'schema')).toEqual({ check: 'schema', state: 'ok', findings: [] });
    expect(one(body, 'redis')?.state).toBe('off');
    expect(one(body, 'backups')).toMatchObject({
      state: 'unknown',
      findings: [{ change: 'the backups', write: expect.stringContaining('backup.sh') }],
    });
  });

  it('the checks name TRUST_PROXY if the request of the admin came through a proxy that is not named', async () => {
    const { body } = await admin.get('/health/checks').set('X-Forwarded-For', '203.0.113.7').expect(200);
    expect(one(body, 'client addresses')).toMatchObject({
      state: 'wrong',
      findings: [{ change: 'TRUST_PROXY', says: expect.stringContaining('came through a proxy') }],
    });
  });

  it('only admins read the checks', async () => {
    await app.http.get('/health/checks').expect(401);
    await as(app, await adminToken(app, 'ACCOUNTANT'))
      .get('/health/checks')
      .expect(403);
  });
});
