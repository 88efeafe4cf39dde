import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { RouteDecisions } from '../../src/auth/guards/route-decisions.js';
import { API_ROLE, CAPABILITIES, type Capability } from '../../src/common/access/principal.js';
import { newId } from '../../src/common/crypto/ids.js';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

/** The whole table of access rules. Add each new route here. */
const PUBLIC = [
  'POST /auth/login',
  'POST /auth/staff/login',
  'POST /auth/refresh',
  'POST /auth/logout',
  'GET /auth/idp',
  'GET /auth/idp/again',
  'GET /auth/idp/callback',
  'POST /auth/idp/exchange',
  'GET /auth/methods',
  'POST /auth/invitations/accept',
  'POST /auth/password-reset',
  'GET /events/public',
  'GET /events/:slug',
  'GET /events/:slug/settings',
  'GET /events/:slug/board',
  'GET /events/:slug/milestones',
  'GET /settings/global',
  'GET /settings/payments',
  'GET /gift-aid/text',
  'GET /events/:slug/match',
  'GET /donations/mine/:token',
  'GET /donations/mine/:token/receipt',
  'GET /donations/mine/:token/simplified-proof',
  'GET /donations/mine/:token/qr-bill',
  'POST /donations/mine/:token/cancel',
  'POST /donations/mine/:token/email',
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
  'GET /accessibility',
  'GET /rehearsal/seen/:token',
  'GET /donate/:slug',
  'GET /donate/:slug/:team',
  'POST /donate/:slug',
  'POST /donate/:slug/thanks',
  'GET /donate/:slug/thanks',
  'GET /pledge/:token',
  'POST /pledge/:token',
  'GET /pledge/:token/unsubscribe',
  'POST /pledge/:token/unsubscribe',
  'GET /me',
  'POST /me',
  'GET /me/sign-in/:token',
  'POST /me/sign-in/:token',
  'POST /me/sign-out',
  'GET /me/data',
  'POST /me/gift-aid/:id',
  'POST /me/pledge-emails',
  'POST /me/address',
  'POST /me/claim',
  'POST /me/erasure',
  'GET /me/receipts/:id',
  'GET /me/statements/:year',
  'GET /me/statement',
  'GET /r/:code',
  'GET /donate/:slug/ready',
  'POST /donate/:slug/ready',
  'POST /donate/:slug/ready/saved',
  'POST /donate/:slug/ready/remove',
  'GET /donate/:slug/ready/stop',
  'POST /donate/:slug/ready/stop',
  'GET /stage/:slug',
  'GET /tribute/:token',
  'POST /tribute/:token',
  'GET /embed.js',
  'GET /embed/:slug',
  'GET /wall/:slug',
  'GET /pos',
  'GET /pos/manifest.webmanifest',
  'GET /pos/service-worker.js',
  'GET /admin',
  'GET /admin/{*path}',
  'POST /terminals/enrol',
  'POST /terminals/heartbeat',
  'GET /images/:file',
  'ALL /{*path}',
];
const EVERY_ROLE = [
  'GET /auth/me',
  'GET /events',
  'GET /events/:id/staff',
  'GET /events/:id/teams',
  'GET /donations',
  'GET /donations/totals',
  'GET /donations/messages',
  'GET /export/receipts/:id',
  'GET /shifts',
  'GET /pledge-rounds',
  'GET /milestones',
  'GET /shifts/:id',
  'GET /events/:id/till-report',
];
const ADMIN_AND_STAFF = [
  'POST /donations',
  'PATCH /donations/:id',
  'POST /donations/:id/fulfil',
  'POST /donations/:id/undo',
  'POST /shifts/:id/count',
  'POST /shifts/:id/recount',
  'POST /pledge-rounds',
  'POST /pledge-rounds/:id/close',
  'POST /donations/:id/payment-link',
  'POST /shifts/:id/sign',
  'POST /donations/:id/moderation',
  'POST /donations/:id/message/approve',
  'POST /donations/:id/message/hide',
  'POST /donations/:id/name/approve',
  'POST /donations/:id/name/hide',
  'GET /events/:id/guests',
  'GET /events/:id/guests/count',
  'POST /events/:id/guests/walk-ins',
  'POST /guests/:id/check-in',
  'DELETE /guests/:id/check-in',
  'GET /guests/:id/card',
  'POST /milestones/:id/announce',
  'POST /milestones/:id/done',
];
const STAFF_ALONE = [
  'POST /shifts',
  'GET /shifts/current',
  'GET /floor-messages/inbox',
  'POST /floor-messages/:id/read',
  'POST /floor-requests',
];
const ADMIN_AND_ACCOUNTANT = [
  'POST /auth/confirm',
  'POST /auth/password',
  'GET /auth/sessions',
  'DELETE /auth/sessions',
  'DELETE /auth/sessions/:id',
  'POST /auth/totp',
  'POST /auth/totp/confirm',
  'POST /auth/totp/disable',
  'GET /audit/export',
  'GET /donations/export',
  'GET /donations/:id/history',
  'GET /donations/:id/story',
  'GET /events/:id/explain-total',
  'GET /events/:id/summary',
  'GET /events/:id/tonight',
  'GET /payouts',
  'GET /payouts/balance',
  'GET /statistics',
  'GET /totals/explain',
  'GET /review-items',
  'GET /review-items/:id',
  'GET /review-items/open',
  'GET /audit',
  'GET /donations/attention',
  'GET /pledge-rounds/conversion',
  'GET /pledges/open',
  'GET /pledges/received',
  'GET /card-charges',
  'GET /card-charges/ready',
  'GET /export/receipts/zip',
  'GET /export/receipts/incomplete',
  'GET /export/receipts/packs',
  'GET /export/fr/222bis',
  'GET /export/sealed-receipts',
  'GET /export/sealed-receipts/csv',
  'GET /export/sealed-receipts/:number',
  'GET /export/sealed-receipts/:number/copy',
  'GET /terminals',
  'GET /donors',
  'GET /donors/:key',
  'GET /donors/:key/export',
  'GET /donors/:key/statement',
  'GET /gift-aid/donations/:id',
  'GET /gift-aid/export',
  'GET /gift-aid/claims',
  'GET /gift-aid/gasds',
  'GET /gift-aid/claims/preview',
  'GET /gift-aid/claims/preview/donations',
  'GET /gift-aid/claims/:id/schedule.ods',
  'GET /match-pools',
  'GET /floor-messages',
  'GET /events/:id/rehearsal',
  'GET /events/:id/rehearsal/play',
  'GET /events/:id/rehearsal/report',
  'GET /match-pools/:id',
  'GET /match-pools/:id/draws',
  'GET /match-pools/:id/letter',
  'GET /match-pools/:id/settlements',
  'GET /changes',
];
const ADMIN = [
  'POST /events/:id/rehearsal',
  'DELETE /events/:id/rehearsal',
  'POST /events/:id/rehearsal/play',
  'DELETE /events/:id/rehearsal/play',
  'GET /api-keys',
  'POST /api-keys',
  'DELETE /api-keys/:id',
  'POST /donors/:key/collective-receipt',
  'POST /match-pools',
  'PATCH /match-pools/:id',
  'DELETE /match-pools/:id',
  'POST /match-pools/:id/open',
  'POST /match-pools/:id/pause',
  'POST /match-pools/:id/resume',
  'POST /match-pools/:id/end',
  'POST /match-pools/:id/cancel',
  'POST /match-pools/:id/settle',
  'POST /match-pools/:id/settlements',
  'GET /webhook-endpoints',
  'POST /webhook-endpoints',
  'GET /webhook-endpoints/:id',
  'PATCH /webhook-endpoints/:id',
  'DELETE /webhook-endpoints/:id',
  'POST /webhook-endpoints/:id/rotate-secret',
  'POST /webhook-endpoints/:id/test',
  'POST /webhook-endpoints/:id/enable',
  'GET /webhook-endpoints/:id/messages',
  'POST /webhook-endpoints/:id/messages/:message/resend',
  'POST /webhook-endpoints/:id/replay',
  'POST /card-charges',
  'POST /card-charges/:id/confirm',
  'POST /card-charges/:id/stop',
  'POST /events/:id/guests',
  'POST /events/:id/teams',
  'POST /events/:id/teams/tables',
  'POST /events/:id/teams/tables-of-guests',
  'GET /events/:id/teams/print',
  'PATCH /teams/:id',
  'DELETE /teams/:id',
  'GET /events/:id/guests/export',
  'GET /events/:id/guests/print',
  'GET /events/:id/poster',
  'GET /events/:id/table-cards',
  'POST /events/:id/imports',
  'GET /events/:id/imports',
  'GET /imports/:id',
  'DELETE /imports/:id',
  'POST /imports/:id/check',
  'GET /imports/:id/wrong-rows',
  'POST /imports/:id/run',
  'POST /imports/:id/undo',
  'GET /imports/:id/changed-rows',
  'PATCH /guests/:id',
  'DELETE /guests/:id',
  'GET /users',
  'POST /users',
  'PATCH /users/:id',
  'DELETE /users/:id',
  'POST /users/:id/invite',
  'GET /users/:id/sessions',
  'DELETE /users/:id/sessions',
  'DELETE /users/:id/identity',
  'DELETE /users/:id/second-factor',
  'POST /auth/staff/unlock',
  'POST /events',
  'PATCH /events/:id',
  'DELETE /events/:id',
  'POST /events/:id/staff/:staffId',
  'DELETE /events/:id/staff/:staffId',
  'PATCH /events/:id/settings',
  'PATCH /events/:id/branding',
  'DELETE /events/:id/branding',
  'PATCH /settings/global',
  'POST /settings/test-email',
  'POST /settings/providers/:name/check',
  'GET /health/checks',
  'GET /emails',
  'POST /images',
  'POST /emails/:id/retry',
  'POST /donations/:id/email-receipt',
  'POST /pledges/reminders',
  'POST /donors/missing-addresses',
  'POST /pledges/letters',
  'POST /events/:id/milestones',
  'PATCH /milestones/:id',
  'DELETE /milestones/:id',
  'POST /milestones/:id/withdraw',
  'POST /wall-moments',
  'POST /floor-messages',
  'POST /floor-messages/:id/withdraw',
  'POST /floor-requests/:id/see',
  'POST /floor-requests/:id/close',
  'POST /transfers/search',
  'POST /transfers/receive',
  'POST /donations/:id/receive',
  'DELETE /donors/:key',
  'POST /gift-aid/donations/:id',
  'POST /gift-aid/declarations/:id/cancel',
  'POST /gift-aid/claims',
  'POST /donations/:id/cancel',
  'POST /review-items/:id/resolve',
  'POST /review-items/:id/assign',
  'POST /donations/attention/:id/resolve',
  'GET /staff',
  'GET /staff/:id',
  'POST /staff',
  'POST /staff/many',
  'PUT /staff/:id',
  'DELETE /staff/:id',
  'POST /terminals/codes',
  'PATCH /terminals/:id',
  'DELETE /terminals/:id',
  'POST /terminals/:id/release',
];

const SIGNED_IN = [...EVERY_ROLE, ...ADMIN_AND_ACCOUNTANT, ...ADMIN_AND_STAFF, ...STAFF_ALONE, ...ADMIN];

const app = withService();
let staff: string;
let accountant: string;

beforeAll(async () => {
  const admin = await adminToken(app);
  staff = (await createStaff(app, admin, (await createEvent(app, admin)).id)).token;
  accountant = await adminToken(app, 'ACCOUNTANT');
});

const decided = () =>
  app.app
    .get(RouteDecisions)
    .all()
    .map(({ method, path, access }) => ({
      route: `${method} ${path}`,
      // Test api-keys.e2e.ts has the routes of keys.
      access:
        access === 'public' ? access : CAPABILITIES[access as Capability].filter((role) => role !== API_ROLE),
    }));

/** Sends the request of a table line with ids that do not exist. */
function call(line: string, token?: string) {
  const [method = '', path = ''] = line.split(' ');
  const address = path.replace(/:\w+/g, () => newId());
  const request = app.http[method.toLowerCase() as 'get'](address);
  return token ? request.auth(token, { type: 'bearer' }) : request;
}

describe('access rules', () => {
  it('every route has the access rule of this table', () => {
    const routesOf = (access: unknown) =>
      decided()
        .filter((one) => JSON.stringify(one.access) === JSON.stringify(access))
        .map(({ route }) => route)
        .sort();
    expect(routesOf('public')).toEqual([...PUBLIC].sort());
    expect(routesOf(['ADMIN', 'ACCOUNTANT', 'STAFF'])).toEqual([...EVERY_ROLE].sort());
    expect(routesOf(['ADMIN', 'ACCOUNTANT'])).toEqual([...ADMIN_AND_ACCOUNTANT].sort());
    expect(routesOf(['ADMIN', 'STAFF'])).toEqual([...ADMIN_AND_STAFF].sort());
    expect(routesOf(['STAFF'])).toEqual([...STAFF_ALONE].sort());
    expect(routesOf(['ADMIN'])).toEqual([...ADMIN].sort());
    expect(decided()).toHaveLength(PUBLIC.length + SIGNED_IN.length);
  });

  it('this test covers all routes of the server except the API description', () => {
    const { router } = app.app.getHttpAdapter().getInstance();
    const mounted = router.stack.flatMap(({ route }) => (route ? [route.path] : []));
    const walked = new Set(decided().map(({ route }) => route.split(' ')[1]));
    expect(mounted.length).toBeGreaterThan(walked.size);
    expect(mounted.filter((path) => !walked.has(path) && !path.startsWith('/docs'))).toEqual([]);
  });

  it('a route without an access rule stops the start', async () => {
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

describe('access over HTTP', () => {
  it.each(SIGNED_IN)('%s answers 401 without a token', async (line) => {
    const { body } = await call(line).expect(401);
    expect(body).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
  });

  it.each([...ADMIN_AND_ACCOUNTANT, ...ADMIN])('%s answers 403 to staff', async (line) => {
    const { body } = await call(line, staff).expect(403);
    expect(body).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  });

  it.each(PUBLIC.filter((line) => !line.includes('/auth/') && !line.startsWith('ALL')))(
    '%s accepts requests without a token',
    async (line) => {
      expect([401, 403]).not.toContain((await call(line)).status);
    },
  );

  it.each([...EVERY_ROLE, ...ADMIN_AND_STAFF])('%s accepts staff', async (line) => {
    expect([401, 403]).not.toContain((await call(line, staff)).status);
  });

  it.each([...ADMIN_AND_STAFF, ...ADMIN])('%s answers 403 to an accountant', async (line) => {
    const { body } = await call(line, accountant).expect(403);
    expect(body).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  });

  it.each([...EVERY_ROLE, ...ADMIN_AND_ACCOUNTANT])('%s accepts an accountant', async (line) => {
    const { status, body } = await call(line, accountant);
    // The role allows the request, but the user must first confirm the change.
    if ((body as { code?: string }).code === 'IDENTITY_NOT_CONFIRMED') return;
    expect([401, 403]).not.toContain(status);
  });
});
