import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { JwtService } from '@nestjs/jwt';
import type { Response } from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { TEST_SECRETS } from '../support/app.js';
import { as } from '../support/bearer.js';
import {
  ADMIN_PASSWORD,
  cookiesOf,
  createAdmin,
  createEvent,
  createStaff,
  sql,
} from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';
import { sealReceipt } from '../support/sealed-receipts.js';
import { until } from '../support/until.js';

/** A long PIN, so that no other answer contains it by chance. */
const PIN = '4829137065';
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const app = withService();
const admin = withAdmin(app);
/** Values for the path parameters when this test calls all routes. */
const objects = {
  event: '',
  slug: '',
  donation: '',
  staff: '',
  review: newId(),
  shift: newId(),
  person: '',
  claim: '',
  sealed: '',
  pool: '',
};

beforeAll(async () => {
  const event = await createEvent(app, admin.token);
  const member = await createStaff(app, admin.token, event.id);
  await admin.put(`/staff/${member.id}`, { name: 'Maria', code: PIN }).expect(200);
  const { body } = await admin
    .post('/donations', {
      eventId: event.id,
      amount: 2500,
      type: 'cash',
      donorName: 'Ada Lovelace',
      donorEmail: 'ada@example.org',
      message: 'For the roof',
    })
    .expect(201);
  await sql(app, "INSERT INTO review_item (id, kind, subject, detail) VALUES ($1, 'dispute', 'test', '{}')", [
    objects.review,
  ]);
  await sql(
    app,
    `INSERT INTO shift (id, event_id, staff_id, staff_name, currency, opening_float, opened_at)
     VALUES ($1, $2, $3, 'Maria', 'eur', 0, now())`,
    [objects.shift, event.id, member.id],
  );
  const donors = await admin.get('/donors').expect(200);
  objects.person = donors.body.data[0].key;
  objects.claim = await madeClaim();
  objects.sealed = await sealReceipt(app, admin.token);
  const made = { eventId: event.id, name: 'Double', cap: 100, remainder: 'not_given' };
  await admin.post(`/events/${event.id}/rehearsal`, { withNames: false, mailTo: [] }).expect(201);
  await admin.post(`/events/${event.id}/rehearsal/play`, { guests: 10, minutes: 60 }).expect(202);
  objects.pool = (await admin.post('/match-pools', made).expect(201)).body.id;
  Object.assign(objects, { event: event.id, slug: event.slug, donation: body.id, staff: member.id });
});

/** Makes a Gift Aid claim, so that its schedule exists. */
async function madeClaim(): Promise<string> {
  const { id: eventId } = await createEvent(app, admin.token, { currency: 'gbp' });
  const { body } = await admin.post('/donations', { eventId, amount: 2500, type: 'cash' }).expect(201);
  const address = { line1: '1 High Street', postcode: 'SW1A 1AA', city: 'London', country: 'GB' };
  await admin
    .post(`/gift-aid/donations/${body.id}`, { firstName: 'Ada', lastName: 'Lovelace', address })
    .expect(201);
  const claim = await admin.post('/gift-aid/claims', { from: '2026-01-01', to: '2099-01-01' }).expect(201);
  return claim.body.id as string;
}

const login = (email: string) => app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD });
const refresh = (cookie: string) => app.http.post('/auth/refresh').set('Cookie', cookie);
const eventsAs = (token: string) => as(app, token).get('/events');

async function signedIn(role = 'ACCOUNTANT') {
  const account = await createAdmin(app, undefined, role);
  const session = await login(account.email).expect(200);
  return { ...account, session, token: session.body.accessToken as string };
}

/** Waits longer than a process caches the state of a session. */
const untilRefused = (token: string) =>
  until(async () => (await eventsAs(token)).status === 401, 'the end of the session', { everyMs: 100 });

describe('accountants', () => {
  it('an accountant signs in by password, renews the session and signs out like an admin', async () => {
    const { id, email, session } = await signedIn();
    const user = { id, email, role: 'ACCOUNTANT' };
    expect(session.body).toEqual({ accessToken: expect.any(String), user });
    const claims = new JwtService({}).decode<Record<string, unknown>>(session.body.accessToken as string);
    expect(claims).toMatchObject({ sub: id, role: 'ACCOUNTANT' });
    const renewed = await refresh(cookiesOf(session)).expect(200);
    expect(renewed.body).toEqual({ accessToken: expect.any(String), user });
    const { accessToken } = renewed.body as { accessToken: string };
    await as(app, accessToken).post('/auth/logout').expect(200);
    await eventsAs(accessToken).expect(401);
    await refresh(cookiesOf(renewed)).expect(401);
  });

  it('an accountant can join the live channel, and signing out disconnects the socket', async () => {
    const { token } = await signedIn();
    const wall = await WallClient.connect(app.url, { auth: { token } });
    expect(await wall.join(objects.event)).toMatchObject({ joined: true });
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    await as(app, token).post('/auth/logout').expect(200);
    expect(await cut).toBe('io server disconnect');
  });

  it('an accountant sees draft events, which the public does not see', async () => {
    const { token } = await signedIn();
    const draft = await createEvent(app, admin.token, { status: 'draft' });
    await app.http.get(`/events/${draft.slug}`).expect(404);
    await as(app, token).get(`/events/${draft.slug}`).expect(200);
    const { body } = await eventsAs(token).expect(200);
    expect((body as { id: string }[]).map(({ id }) => id)).toContain(draft.id);
  });

  it('an accountant creates a receipt number with the first download and gets a copy with the second', async () => {
    const { token } = await signedIn();
    const donation = await admin
      .post('/donations', { eventId: objects.event, amount: 100, type: 'cash' })
      .expect(201);
    const download = () => as(app, token).get(`/export/receipts/${donation.body.id}`).expect(200);
    const [first, second] = [await download(), await download()];
    expect(first.headers['content-disposition']).toMatch(/receipt-\d{4}-\d{6}\.pdf/);
    expect(second.headers['content-disposition']).toBe(first.headers['content-disposition']);
  });

  it('the audit names an accountant as the actor of an export', async () => {
    const { id, token } = await signedIn();
    await as(app, token).get('/donations/export').expect(200);
    await as(app, token).get(`/export/receipts/zip?eventId=${objects.slug}`).expect(200);
    const audit = await sql(
      app,
      "SELECT actor_kind, action FROM audit_entry WHERE actor_id = $1 AND action <> 'admin.sign_in' ORDER BY id",
      [id],
    );
    expect(audit).toEqual([
      { actor_kind: 'accountant', action: 'donations.export' },
      { actor_kind: 'accountant', action: 'receipts.export' },
    ]);
  });
});

describe('accountants on every route of the API description', () => {
  /** Routes that an accountant may call. All other routes with a token refuse an accountant. */
  const READS = [
    'get /events',
    'get /events/{id}/staff',
    'get /events/{id}/teams',
    'get /donations',
    'get /donations/messages',
    'get /changes',
    'get /floor-messages',
    'get /donations/totals',
    'get /donations/{id}/story',
    'get /events/{id}/explain-total',
    'get /events/{id}/summary',
    'get /events/{id}/tonight',
    'get /payouts',
    'get /payouts/balance',
    'get /statistics',
    'get /totals/explain',
    'get /donations/export',
    'get /donations/{id}/history',
    'get /review-items',
    'get /review-items/open',
    'get /review-items/{id}',
    'get /audit',
    'get /audit/export',
    'get /auth/me',
    'get /auth/sessions',
    'get /donations/attention',
    'get /export/receipts/incomplete',
    'get /export/receipts/packs',
    'get /export/fr/222bis',
    'get /export/sealed-receipts',
    'get /export/sealed-receipts/csv',
    'get /export/sealed-receipts/{number}',
    'get /export/sealed-receipts/{number}/copy',
    'get /export/receipts/zip',
    'get /export/receipts/{id}',
    'get /terminals',
    'get /shifts',
    'get /pledge-rounds',
    'get /milestones',
    'get /pledge-rounds/conversion',
    'get /pledges/open',
    'get /pledges/received',
    'get /card-charges',
    'get /card-charges/ready',
    'get /shifts/{id}',
    'get /events/{id}/till-report',
    'get /donors',
    'get /donors/{key}',
    'get /donors/{key}/export',
    'get /donors/{key}/statement',
    'get /gift-aid/donations/{id}',
    'get /gift-aid/export',
    'get /gift-aid/claims',
    'get /gift-aid/gasds',
    'get /gift-aid/claims/preview',
    'get /gift-aid/claims/preview/donations',
    'get /gift-aid/claims/{id}/schedule.ods',
    'get /events/{id}/rehearsal',
    'get /events/{id}/rehearsal/play',
    'get /events/{id}/rehearsal/report',
    'get /match-pools',
    'get /match-pools/{id}',
    'get /match-pools/{id}/draws',
    'get /match-pools/{id}/letter',
    'get /match-pools/{id}/settlements',
  ];
  /** Routes for signing in and out and for the own account. Other tests cover them. */
  const SESSION = [
    'post /auth/refresh',
    'post /auth/logout',
    'post /auth/confirm',
    'post /auth/password',
    'delete /auth/sessions',
    'delete /auth/sessions/{id}',
    'post /auth/totp',
    'post /auth/totp/confirm',
    'post /auth/totp/disable',
  ];

  interface Operation {
    readonly security?: Record<string, unknown>[];
    readonly parameters?: { name: string; in: string; required?: boolean }[];
  }

  /** All operations that need a token, in the form `get /events/{id}`. */
  async function protectedOperations(): Promise<string[]> {
    const { body } = await app.http.get('/docs/openapi.json').expect(200);
    const paths = body.paths as Record<string, Record<string, Operation>>;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
    );
    return operations
      .filter(({ operation }) => operation.security?.some((one) => 'bearer' in one))
      .map(({ name }) => name)
      .filter((name) => !SESSION.includes(name));
  }

  function call(name: string, token: string) {
    const [method = '', path = ''] = name.split(' ');
    const own = path.startsWith('/events')
      ? objects.event
      : path.startsWith('/staff')
        ? objects.staff
        : /^\/(review-items|donations\/attention)/.test(path)
          ? objects.review
          : path.startsWith('/shifts')
            ? objects.shift
            : path.startsWith('/gift-aid/claims')
              ? objects.claim
              : path.startsWith('/match-pools')
                ? objects.pool
                : objects.donation;
    const address = path
      .replace('{id}', own)
      .replace('{key}', objects.person)
      .replace('{number}', objects.sealed)
      .replace('{staffId}', objects.staff);
    const query =
      /messages|zip|incomplete|statistics|milestones|pledge-rounds|pledges|card-charges|match-pools$/.test(
        path,
      )
        ? `?eventId=${objects.event}`
        : path.endsWith('statement') || path.endsWith('222bis')
          ? `?year=${new Date().getUTCFullYear()}`
          : path.includes('preview')
            ? '?from=2026-01-01&to=2026-12-31'
            : path.endsWith('gasds')
              ? '?taxYear=2026'
              : '';
    return app.http[method as 'get'](address + query).set(bearer(token));
  }

  const stateOfAll = () =>
    sql(
      app,
      `SELECT (SELECT jsonb_agg(d ORDER BY id) FROM donation d) AS donations,
              (SELECT jsonb_agg(e ORDER BY id) FROM event e) AS events,
              (SELECT jsonb_agg(m ORDER BY id) FROM staff_member m) AS staff,
              (SELECT jsonb_agg(s ORDER BY event_id, staff_id) FROM event_staff s) AS assignments,
              (SELECT jsonb_agg(r ORDER BY id) FROM review_item r) AS reviews,
              (SELECT jsonb_agg(g ORDER BY id) FROM global_settings g) AS settings`,
    );

  it('an accountant may call every read-only route, and no answer contains a PIN', async () => {
    const { token } = await signedIn();
    const operations = await protectedOperations();
    expect(operations.filter((name) => READS.includes(name)).sort()).toEqual([...READS].sort());
    const shown = new Map<string, Response>();
    for (const name of READS) shown.set(name, await call(name, token));
    expect([...shown].filter(([, { status }]) => status !== 200).map(([name]) => name)).toEqual([]);
    const text = (name: string) => shown.get(name)?.text ?? JSON.stringify(shown.get(name)?.body);
    expect(READS.filter((name) => text(name).includes(PIN))).toEqual([]);
    expect(shown.get('get /events/{id}/staff')?.body).toEqual([
      { id: objects.staff, name: 'Maria', createdAt: expect.any(String) },
    ]);
    expect(text('get /donations')).toContain('ada@example.org');
    expect(text('get /donations/export')).toContain('Ada Lovelace');
    expect(text('get /review-items')).toContain(objects.review);
  });

  it('an accountant gets 403 on all other routes, and nothing changes', async () => {
    const { token } = await signedIn();
    const before = await stateOfAll();
    const others = (await protectedOperations()).filter((name) => !READS.includes(name));
    expect(others.length).toBeGreaterThan(20);
    for (const name of others) {
      const { status, body } = await call(name, token).send();
      expect({ name, status, code: body.code }).toEqual({ name, status: 403, code: 'FORBIDDEN' });
    }
    expect(await stateOfAll()).toEqual(before);
  });

  it('no route that an accountant may call changes data', () => {
    expect(READS.filter((name) => !name.startsWith('get '))).toEqual([]);
  });
});

describe('a changed role', () => {
  it('the operator command ends the sessions of the account, and the next sign-in gets the new role', async () => {
    const { email, session, token } = await signedIn();
    await eventsAs(token).expect(200);
    const password = 'a much better password';
    await seedAdmin({ databaseUrl: app.databaseUrl, email, password, role: 'ADMIN' });
    await untilRefused(token);
    await refresh(cookiesOf(session)).expect(401);
    const again = await app.http.post('/auth/login').send({ email, password }).expect(200);
    expect(again.body.user.role).toBe('ADMIN');
    await as(app, again.body.accessToken).get('/staff').expect(200);
  });

  it('a token becomes invalid when the role in the database row changes', async () => {
    const { id, token } = await signedIn('ADMIN');
    await eventsAs(token).expect(200);
    await sql(app, "UPDATE admin SET role = 'ACCOUNTANT' WHERE id = $1", [id]);
    await untilRefused(token);
  });

  it('a correctly signed token with a wrong role is refused', async () => {
    const { token } = await signedIn();
    const jwt = new JwtService({});
    const claims = jwt.decode<Record<string, unknown>>(token);
    const promoted = jwt.sign(
      { ...claims, role: 'ADMIN', sid: newId() },
      { secret: TEST_SECRETS.JWT_SECRET },
    );
    await eventsAs(promoted).expect(401);
    const unchanged = jwt.sign({ ...claims, sid: newId() }, { secret: TEST_SECRETS.JWT_SECRET });
    await eventsAs(unchanged).expect(200);
  });
});

describe('a role that this version does not know', () => {
  it('an unknown role in a token or in a row is refused everywhere', async () => {
    const { id, email, session, token } = await signedIn();
    const jwt = new JwtService({});
    const claims = jwt.decode<Record<string, unknown>>(token);
    await eventsAs(jwt.sign({ ...claims, role: 'AUDITOR' }, { secret: TEST_SECRETS.JWT_SECRET })).expect(401);
    // Simulates a newer version of the service, which stores a role that this version does not know.
    await sql(app, "ALTER TYPE admin_role ADD VALUE 'AUDITOR'");
    await sql(app, "UPDATE admin SET role = 'AUDITOR' WHERE id = $1", [id]);
    await untilRefused(token);
    await eventsAs(jwt.sign({ ...claims, role: 'AUDITOR' }, { secret: TEST_SECRETS.JWT_SECRET })).expect(401);
    const refused: { status: number; body: { code?: string } }[] = [
      await login(email),
      await refresh(cookiesOf(session)),
    ];
    for (const { status, body } of refused)
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'ROLE_UNKNOWN' });
  });
});

describe('admin:seed', () => {
  const seed = (role?: string, email = 'books@example.org') =>
    seedAdmin({ databaseUrl: app.databaseUrl, email, password: ADMIN_PASSWORD, role });
  const roleOf = async (email: string) =>
    (await sql<{ role: string }>(app, 'SELECT role FROM admin WHERE email = $1', [email]))[0]?.role;

  it('admin:seed creates an admin by default', async () => {
    await seed(undefined, 'plain@example.org');
    expect(await roleOf('plain@example.org')).toBe('ADMIN');
  });

  it('admin:seed keeps the role of an account when it resets the password without a role', async () => {
    await seed('ACCOUNTANT');
    await seed();
    expect(await roleOf('books@example.org')).toBe('ACCOUNTANT');
    const audit = await sql(
      app,
      "SELECT action, detail FROM audit_entry WHERE subject_id = (SELECT id::text FROM admin WHERE email = 'books@example.org') ORDER BY id",
    );
    expect(audit).toEqual([
      { action: 'admin.create', detail: { role: 'ACCOUNTANT' } },
      { action: 'admin.password', detail: { role: 'ACCOUNTANT' } },
    ]);
  });

  it.each(['STAFF', 'accountant', 'ROOT', ''])('admin:seed refuses the role "%s"', async (role) => {
    await expect(seed(role)).rejects.toThrow('The role must be one of ADMIN, ACCOUNTANT');
  });

  it('the admin:seed command reads the variable ADMIN_ROLE', async () => {
    const email = 'command@example.org';
    const environment = { DATABASE_URL: app.databaseUrl, ADMIN_EMAIL: email, ADMIN_ROLE: 'ACCOUNTANT' };
    const command = async () =>
      await promisify(execFile)(process.execPath, ['scripts/admin-seed.mjs'], {
        env: { PATH: process.env.PATH, ...environment },
      });
    const { stdout } = await command();
    expect(stdout).toContain(`Account ${email} created.`);
    expect(stdout).not.toContain('owner');
    expect(await roleOf(email)).toBe('ACCOUNTANT');
    expect((await command()).stdout).toContain(
      'The server e-mails its owner about this, if the server has SMTP_URL.',
    );
  });
});
