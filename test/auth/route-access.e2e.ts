import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import supertest from 'supertest';
import { RouteDecisions } from '../../src/auth/guards/route-decisions.js';
import { newId } from '../../src/common/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';

/** Who may call what: the whole table. A new route is decided on here too. */
const PUBLIC = [
  'POST /auth/login',
  'POST /auth/staff/login',
  'POST /auth/refresh',
  'POST /auth/logout',
  'GET /auth/idp',
  'GET /auth/idp/callback',
  'POST /auth/idp/exchange',
  'GET /events/public',
  'GET /events/:slug',
  'GET /events/:slug/settings',
  'GET /settings/global',
  'POST /donations/intent',
  'POST /donations/wallet/:orderId/capture',
  'POST /donations/cardprocessor/webhook',
  'POST /donations/wallet/webhook',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /donations/wallet/return',
  'GET /donations/wallet/cancelled',
  'GET /',
  'GET /wall/:slug',
  'GET /wall/assets/:file',
  'ALL /{*path}',
];
const ADMIN_AND_STAFF = [
  'GET /events',
  'GET /events/:id/staff',
  'GET /donations',
  'POST /donations',
  'PATCH /donations/:id',
  'POST /donations/:id/fulfil',
  'GET /donations/messages',
  'POST /donations/:id/message/approve',
  'POST /donations/:id/message/hide',
  'GET /export/receipts/:id',
];
const ADMIN = [
  'POST /events',
  'PATCH /events/:id',
  'DELETE /events/:id',
  'POST /events/:id/staff/:staffId',
  'DELETE /events/:id/staff/:staffId',
  'PATCH /events/:id/settings',
  'PATCH /events/:id/branding',
  'DELETE /events/:id/branding',
  'PATCH /settings/global',
  'GET /donations/export',
  'POST /donations/:id/cancel',
  'GET /donations/:id/history',
  'GET /review-items',
  'POST /review-items/:id/resolve',
  'GET /donations/attention',
  'POST /donations/attention/:id/resolve',
  'GET /staff',
  'GET /staff/:id',
  'POST /staff',
  'PUT /staff/:id',
  'DELETE /staff/:id',
  'GET /export/receipts/zip',
];

let app: TestApp;
let staff: string;

beforeAll(async () => {
  app = await startApp();
  const admin = await adminToken(app);
  staff = (await createStaff(app, admin, (await createEvent(app, admin)).id)).token;
});
afterAll(() => app.close());

const decided = () =>
  app.app
    .get(RouteDecisions)
    .all()
    .map(({ method, path, access }) => ({ route: `${method} ${path}`, access }));

/** Sends the request of a line of the table, with ids of nothing. */
function call(line: string, token?: string) {
  const [method = '', path = ''] = line.split(' ');
  const address = path.replace(/:\w+/g, () => newId());
  const request = supertest(app.url)[method.toLowerCase() as 'get'](address);
  return token ? request.auth(token, { type: 'bearer' }) : request;
}

describe('every route', () => {
  it('has its decision, and it is the one of the table', () => {
    const routesOf = (access: unknown) =>
      decided()
        .filter((one) => JSON.stringify(one.access) === JSON.stringify(access))
        .map(({ route }) => route)
        .sort();
    expect(routesOf('public')).toEqual([...PUBLIC].sort());
    expect(routesOf(['ADMIN', 'STAFF'])).toEqual([...ADMIN_AND_STAFF].sort());
    expect(routesOf(['ADMIN'])).toEqual([...ADMIN].sort());
    expect(decided()).toHaveLength(PUBLIC.length + ADMIN_AND_STAFF.length + ADMIN.length);
  });

  it('that the server has was walked: nothing is mounted beside the controllers but the API description', () => {
    const { router } = app.app.getHttpAdapter().getInstance();
    const mounted = router.stack.flatMap(({ route }) => (route ? [route.path] : []));
    const walked = new Set(decided().map(({ route }) => route.split(' ')[1]));
    expect(mounted.length).toBeGreaterThan(walked.size);
    expect(mounted.filter((path) => !walked.has(path) && !path.startsWith('/docs'))).toEqual([]);
  });

  it('without a decision stops the start', async () => {
    @Controller('forgotten')
    class ForgottenController {
      @Get(':id')
      read(): string {
        return 'nobody thought about who may see this';
      }
    }
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      controllers: [ForgottenController],
      providers: [RouteDecisions],
    }).compile();
    await expect(module.createNestApplication().init()).rejects.toThrow(
      'Routes without @Auth or @Public: ForgottenController.read',
    );
  });
});

describe('over HTTP', () => {
  it.each([...ADMIN_AND_STAFF, ...ADMIN])('%s answers 401 without a token', async (line) => {
    const { body } = await call(line).expect(401);
    expect(body).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
  });

  it.each(ADMIN)('%s answers 403 to staff', async (line) => {
    const { body } = await call(line, staff).expect(403);
    expect(body).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  });

  it.each(PUBLIC.filter((line) => !line.includes('/auth/') && !line.startsWith('ALL')))(
    '%s lets the public in',
    async (line) => {
      expect([401, 403]).not.toContain((await call(line)).status);
    },
  );

  it.each(ADMIN_AND_STAFF)('%s lets staff in', async (line) => {
    expect([401, 403]).not.toContain((await call(line, staff)).status);
  });
});
