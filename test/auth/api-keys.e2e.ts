import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { RouteDecisions } from '../../src/auth/guards/route-decisions.js';
import { newKey } from '../../src/auth/api-keys/key-text.js';
import { API_SCOPE_NAMES, type ApiScope } from '../../src/common/access/api-scope-names.js';
import { newId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import { FIELDS_OF_DONORS } from '../../src/donations/donors/fields-of-donors.js';
import { readDescription, validator } from '../contract/described.js';
import { createKey } from '../support/api-keys.js';
import { startApp } from '../support/app.js';
import { as, confirmed, errorBody, type ListBody } from '../support/bearer.js';
import { adminToken, createAdmin, createEvent, createStaff, sql } from '../support/fixtures.js';
import { login, tokenOf } from '../support/second-factor.js';
import { ADMIN_PASSWORD } from '../support/fixtures.js';
import { withEvent, withOpened } from '../support/setup.js';

const { app, admin, event } = withEvent();
const other = withOpened(() => startApp({}, {}, app.databaseUrl));
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const DONOR = {
  donorName: 'Ada Lovelace',
  donorEmail: 'ada@example.org',
  donorAddress: 'Main Street 1, 12345 Sampletown',
  message: 'For the new roof',
  note: 'A friend of Charles',
};

const SPOKEN = 'AY-da LOVE-lace';

/** Every route that a key may call, by scope. Each key may also call `GET /auth/me`. */
const ROUTES: Readonly<Record<ApiScope, readonly string[]>> = {
  read: [
    'GET /events',
    'GET /donations',
    'GET /donations/totals',
    'GET /statistics',
    'GET /changes',
    'GET /milestones',
  ],
  'read:personal': [
    'GET /events',
    'GET /donations',
    'GET /donations/totals',
    'GET /changes',
    'GET /milestones',
    'GET /events/:id/teams',
  ],
  export: ['GET /donations/export'],
  record: ['POST /donations'],
  webhooks: [
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
  ],
  guests: [
    'GET /events/:id/guests',
    'GET /events/:id/guests/count',
    'POST /events/:id/guests',
    'POST /events/:id/guests/walk-ins',
    'PATCH /guests/:id',
    'DELETE /guests/:id',
    'POST /guests/:id/check-in',
    'DELETE /guests/:id/check-in',
  ],
};

const routes = () =>
  app.app
    .get(RouteDecisions)
    .all()
    .filter(({ method }) => method !== 'ALL');

/** Sends the request of a route with ids that do not exist. */
function call(method: string, path: string, key: string) {
  const address = path.replace(/:\w+/g, () => newId()).replace('{*path}', 'x');
  return app.http[method.toLowerCase() as 'get'](address).auth(key, { type: 'bearer' });
}

describe('each scope of a key', () => {
  it.each(API_SCOPE_NAMES)('the scope %s may call exactly its routes', async (scope) => {
    const { key } = await createKey(app, admin.token, [scope]);
    const allowed: string[] = [];
    for (const { method, path, access } of routes()) {
      if (access === 'public') continue;
      const { status, body } = await call(method, path, key);
      if (status !== 403) allowed.push(`${method} ${path}`);
      else expect(body).toMatchObject(errorBody(403, 'Forbidden', 'FORBIDDEN'));
    }
    expect(allowed.sort()).toEqual(['GET /auth/me', ...ROUTES[scope]].sort());
  });

  it('no key may use the routes of the sign-in', async () => {
    const { key } = await createKey(app, admin.token, API_SCOPE_NAMES);
    const signIn = routes().filter(({ path }) => path.startsWith('/auth/') && path !== '/auth/me');
    expect(signIn.length).toBeGreaterThan(15);
    for (const { method, path, access } of signIn) {
      if (path === '/auth/methods') continue;
      const { status } = await call(method, path, key);
      expect([method, path, access, status]).toEqual([method, path, access, 403]);
    }
  });

  it('a key opens no live connection', async () => {
    const { key } = await createKey(app, admin.token, API_SCOPE_NAMES);
    const { SessionService } = await import('../../src/auth/sessions/session.service.js');
    await expect(app.app.get(SessionService).verify(key)).resolves.toBeUndefined();
  });
});

describe('a new key', () => {
  it('a new key is shown once and described without its secret', async () => {
    const { id, key, prefix } = await createKey(app, admin.token, ['read'], { eventIds: [event.id] });
    expect(key.startsWith(`${prefix}_`)).toBe(true);
    const { body, text } = await admin.get('/api-keys').expect(200);
    expect(text).not.toContain(key.slice(14));
    const own = (body as { data: { id: string }[] }).data.find((one) => one.id === id);
    expect(own).toMatchObject({
      name: 'Bookkeeping',
      prefix,
      scopes: ['read'],
      eventIds: [event.id],
      state: 'works',
      lastUsedAt: null,
    });
    expect(JSON.stringify(await sql(app, 'SELECT * FROM api_key WHERE id = $1', [id]))).not.toContain(
      key.slice(13),
    );
  });

  it('a new key says what it may do', async () => {
    const { id, key } = await createKey(app, admin.token, ['read'], { eventIds: [event.id] });
    const { body } = await as(app, key).get('/auth/me').expect(200).expect('Cache-Control', 'no-store');
    expect(body).toEqual({
      user: { id, email: null, role: 'API', name: 'Bookkeeping' },
      capabilities: [
        'account:read',
        'events:list',
        'donations:list',
        'statistics:read',
        'changes:read',
        'milestones:list',
      ],
      secondFactor: { enabled: false, required: false },
      key: { scopes: ['read'], eventIds: [event.id], expiresAt: expect.any(String) },
    });
  });

  it('a new key needs a confirmed identity', async () => {
    await admin.post('/api-keys', { name: 'x', scopes: ['read'] }).expect(403, /IDENTITY_NOT_CONFIRMED/);
  });

  it.each<[string, Record<string, unknown>, number, string]>([
    ['no scope', { scopes: [] }, 400, 'VALIDATION_FAILED'],
    ['an unknown scope', { scopes: ['everything'] }, 400, 'VALIDATION_FAILED'],
    ['an unknown field', { digest: 'x' }, 400, 'VALIDATION_FAILED'],
    ['an expiry in the past', { expiresAt: '2020-01-01' }, 400, 'EXPIRY_OUT_OF_RANGE'],
    [
      'an expiry in six years',
      { expiresAt: `${new Date().getFullYear() + 6}-01-01` },
      400,
      'EXPIRY_OUT_OF_RANGE',
    ],
    ['webhooks of some events', { scopes: ['webhooks'], eventIds: [newId()] }, 400, 'SCOPE_NEEDS_ALL_EVENTS'],
    ['an event that does not exist', { eventIds: [newId()] }, 404, 'EVENT_NOT_FOUND'],
  ])('is refused with %s', async (_, fields, status, code) => {
    const caller = await confirmed(app, admin.token);
    const { body } = await caller
      .post('/api-keys', { name: 'x', scopes: ['read'], ...fields })
      .expect(status);
    expect(body).toMatchObject({ code });
  });

  it('a new key and its revocation are recorded in the audit log', async () => {
    const { id } = await createKey(app, admin.token, ['read', 'export']);
    await admin.delete(`/api-keys/${id}`).expect(200);
    await admin.delete(`/api-keys/${id}`).expect(200);
    const entries = await sql(
      app,
      'SELECT action, detail FROM audit_entry WHERE subject_id = $1 ORDER BY id',
      [id],
    );
    expect(entries).toEqual([
      {
        action: 'api_key.create',
        detail: { scopes: 'read, export', events: 0 },
      },
      { action: 'api_key.revoke', detail: {} },
    ]);
  });
});

describe('an invalid key', () => {
  const refused = (key: string) =>
    as(app, key)
      .get('/events')
      .expect(401)
      .expect('WWW-Authenticate', 'Bearer error="invalid_token"')
      .expect((response) => {
        expect(response.body).toEqual(errorBody(401, 'Unauthorized', 'UNAUTHORIZED'));
      });

  it('a mistyped key is refused without a query', async () => {
    const { key } = await createKey(app, admin.token, ['read']);
    await wait(2_100);
    const query = jest.spyOn(app.app.get(Database), 'query');
    await refused(key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'));
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
  });

  it('an unknown key and a key with a wrong secret are refused in the same way', async () => {
    await refused(newKey().text);
    const { prefix } = await createKey(app, admin.token, ['read']);
    const { text } = newKey();
    await refused(`${prefix}_${text.slice(13)}`);
  });

  it('an expired key is refused', async () => {
    const soon = new Date(Date.now() + 1_200).toISOString();
    const { key } = await createKey(app, admin.token, ['read'], { expiresAt: soon });
    await as(app, key).get('/events').expect(200);
    await wait(1_300);
    await refused(key);
  });

  it('a revoked key ends at once here, and within two seconds in another process', async () => {
    const { id, key } = await createKey(app, admin.token, ['read']);
    await as(other, key).get('/events').expect(200);
    await admin.delete(`/api-keys/${id}`).expect(200);
    await refused(key);
    await wait(2_000);
    await as(other, key).get('/events').expect(401);
  });

  it('a key ends within two seconds after its creator is disabled, and loses the rights that the creator loses', async () => {
    const account = await createAdmin(app);
    const token = tokenOf(await login(app, { email: account.email, password: ADMIN_PASSWORD }).expect(200));
    const { key } = await createKey(app, token, ['read', 'guests']);
    await as(app, key).get(`/events/${event.id}/guests`).expect(200);
    const boss = await confirmed(app, admin.token);
    await boss.patch(`/users/${account.id}`, { role: 'ACCOUNTANT' }).expect(200);
    await as(app, key).get(`/events/${event.id}/guests`).expect(403);
    await as(app, key).get('/events').expect(200);
    await boss.patch(`/users/${account.id}`, { disabled: true }).expect(200);
    await as(app, key).get('/events').expect(401);
    const { body } = await admin.get('/api-keys').expect(200);
    expect((body as { data: { createdBy: string; state: string }[] }).data).toContainEqual(
      expect.objectContaining({ createdBy: account.id, state: 'stopped' }),
    );
  });

  it('a key stops working when all sessions are ended', async () => {
    const { key } = await createKey(app, admin.token, ['read']);
    await as(app, key).get('/auth/me').expect(200);
    await sql(
      app,
      `INSERT INTO session_epoch (id, ended_before) VALUES (1, now())
      ON CONFLICT (id) DO UPDATE SET ended_before = excluded.ended_before`,
    );
    await wait(2_100);
    await as(app, key).get('/auth/me').expect(401);
    await sql(app, 'DELETE FROM session_epoch');
    await wait(2_100);
  });
});

describe('the events of a key', () => {
  let mine: string;
  let hidden: { id: string; slug: string };
  let key: ReturnType<typeof as>;

  beforeAll(async () => {
    hidden = await createEvent(app, admin.token, { status: 'draft' });
    mine = (await createEvent(app, admin.token, { status: 'active' })).id;
    for (const eventId of [mine, event.id])
      await admin.post('/donations', { eventId, amount: 700, type: 'cash' }).expect(201);
    const fields = { eventIds: [mine] };
    const scopes = API_SCOPE_NAMES.filter((scope) => scope !== 'webhooks');
    key = as(app, (await createKey(app, admin.token, scopes, fields)).key);
  });

  it('lists, sums and files contain only the events of the key', async () => {
    const events = await key.get('/events').expect(200);
    expect((events.body as { id: string }[]).map(({ id }) => id)).toEqual([mine]);
    const { body } = await key.get('/donations').expect(200);
    expect((body as ListBody).data.map(({ eventId }) => eventId)).toEqual([mine]);
    const totals = await key.get('/donations/totals').expect(200);
    expect(totals.body).toMatchObject({ byCurrency: [{ count: 1, amount: 700 }] });
    const file = await key.get('/donations/export').expect(200);
    expect(file.text.trim().split('\r\n')).toHaveLength(2);
    expect(file.text).not.toContain(event.id);
  });

  it('a key finds only its events', async () => {
    for (const path of [
      `/donations?eventId=${event.id}`,
      `/donations/totals?eventId=${event.id}`,
      `/donations/export?eventId=${event.id}`,
      `/statistics?eventId=${event.id}`,
      `/statistics?eventId=${mine}&compareTo=${event.id}`,
      `/events/${event.id}/guests`,
      `/events/${event.id}/teams`,
      `/milestones?eventId=${event.id}`,
      `/events/${hidden.id}`,
      `/events/${hidden.slug}/settings`,
    ]) {
      const { body } = await key.get(path).expect(404);
      expect(body).toMatchObject({ code: 'EVENT_NOT_FOUND' });
    }
    await key
      .post('/donations', { eventId: event.id, amount: 100, type: 'cash' })
      .set('Idempotency-Key', randomUUID())
      .expect(404, /EVENT_NOT_FOUND/);
  });

  it('a key that may not list events sees no drafts', async () => {
    const record = as(app, (await createKey(app, admin.token, ['record'])).key);
    await record.get(`/events/${hidden.id}`).expect(404);
  });
});

describe('personal data', () => {
  let eventId: string;

  beforeAll(async () => {
    eventId = (await createEvent(app, admin.token, { status: 'active' })).id;
    const { body } = await admin
      .post('/donations', { eventId, amount: 900, type: 'cash', ...DONOR })
      .expect(201);
    await admin
      .patch(`/donations/${(body as { id: string }).id}`, { donorPronunciation: SPOKEN })
      .expect(200);
  });
  const withoutDonor = (text: string) => {
    for (const value of [...Object.values(DONOR), SPOKEN]) expect(text).not.toContain(value);
  };

  it('personal data is absent from lists, changes and files of a key without read:personal', async () => {
    const key = as(app, (await createKey(app, admin.token, ['read', 'export', 'record'])).key);
    const { next } = (await key.get('/changes').expect(200)).body as { next: string };
    const list = await key.get(`/donations?eventId=${eventId}`).expect(200);
    expect((list.body as ListBody).data).toHaveLength(1);
    expect(Object.keys((list.body as ListBody).data[0] ?? {})).not.toContain('donorName');
    withoutDonor(list.text);
    withoutDonor(
      (await key.get(`/donations?eventId=${eventId}&fields=id,donorName,message`).expect(200)).text,
    );
    const described = validator(readDescription(), 'openapi');
    expect(described('/components/schemas/DonationListDto', list.body)).toBeUndefined();
    const file = await key.get(`/donations/export?eventId=${eventId}`).expect(200);
    expect(file.text.split('\r\n')[0]).not.toMatch(
      /donorName|donorEmail|message|donorAddress|note|tribute(Name|Message)/,
    );
    expect(file.text).toContain('900');
    withoutDonor(file.text);
    const recorded = await key
      .post('/donations', { eventId, amount: 901, type: 'cash', ...DONOR })
      .set('Idempotency-Key', randomUUID())
      .expect(201);
    withoutDonor(recorded.text);
    expect(described('/components/schemas/RecordedDonationDto', recorded.body)).toBeUndefined();
    const changes = await key.get(`/changes?after=${next}&wait=5`).expect(200);
    expect(changes.text).toContain('901');
    expect(described('/components/schemas/Changes', changes.body)).toBeUndefined();
    withoutDonor(changes.text);
  });

  it('openapi.json requires no field of a donor in an answer for keys', () => {
    const { schemas } = readDescription().components;
    for (const name of ['SharedDonationDto', 'RecordedDonationDto'])
      expect(FIELDS_OF_DONORS.filter((field) => schemas[name]?.required?.includes(field))).toEqual([]);
  });

  it('a key without read:personal cannot search for names or get files for people', async () => {
    const key = as(app, (await createKey(app, admin.token, ['read', 'export'])).key);
    for (const path of [
      '/donations?search=ada',
      '/donations/totals?search=ada',
      '/donations/export?search=ada',
      '/donations/export?format=people',
      '/donations/export?format=xlsx',
    ])
      await key.get(path).expect(403, /PERSONAL_DATA_FORBIDDEN/);
  });

  it('personal data is not sent to a webhook endpoint of a key that may not read it', async () => {
    const url = 'https://example.org/hook';
    const key = as(app, (await createKey(app, admin.token, ['webhooks'])).key);
    await key
      .post('/webhook-endpoints', { url, containsPersonalData: true })
      .expect(403, /PERSONAL_DATA_FORBIDDEN/);
    const { body } = await admin.post('/webhook-endpoints', { url, containsPersonalData: true }).expect(201);
    const full = (body as { id: string }).id;
    await key.patch(`/webhook-endpoints/${full}`, { url: `${url}/other` }).expect(403);
    await key.post(`/webhook-endpoints/${full}/rotate-secret`).expect(403);
    await key.post('/webhook-endpoints', { url }).expect(201);
  });

  it('personal data is part of the answers to a key with read:personal', async () => {
    const key = as(app, (await createKey(app, admin.token, ['read:personal'])).key);
    const { body } = await key.get(`/donations?eventId=${eventId}&search=ada`).expect(200);
    expect((body as ListBody).data[0]).toMatchObject(DONOR);
  });
});

describe('a donation that a key records', () => {
  it('a record by a key needs an Idempotency-Key', async () => {
    const key = as(app, (await createKey(app, admin.token, ['record'])).key);
    await key
      .post('/donations', { eventId: event.id, amount: 100, type: 'cash' })
      .expect(400, /IDEMPOTENCY_KEY_REQUIRED/);
  });

  it('a record by a key is booked exactly once when the same request arrives twenty times at once', async () => {
    const { id, key } = await createKey(app, admin.token, ['record']);
    const donation = { eventId: event.id, amount: 4_321, type: 'check', donorName: 'Grace' };
    const send = () => as(app, key).post('/donations', donation).set('Idempotency-Key', 'invoice 17');
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const final = await send().expect(201);
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' });
      else expect([status, (body as { id: string }).id]).toEqual([201, (final.body as { id: string }).id]);
    }
    const rows = await sql(app, 'SELECT id, staff_id FROM donation WHERE amount = 4321');
    expect(rows).toEqual([{ id: (final.body as { id: string }).id, staff_id: null }]);
    const history = await sql(
      app,
      'SELECT actor_kind, actor_id FROM donation_history WHERE donation_id = $1',
      [(final.body as { id: string }).id],
    );
    expect(history).toEqual([{ actor_kind: 'api', actor_id: id }]);
  });

  it('the Idempotency-Key of another program makes a second donation, because it belongs to its sender', async () => {
    const donation = { eventId: event.id, amount: 4_322, type: 'cash' };
    for (const { key } of [
      await createKey(app, admin.token, ['record']),
      await createKey(app, admin.token, ['record']),
    ])
      await as(app, key).post('/donations', donation).set('Idempotency-Key', 'invoice 18').expect(201);
    expect(await sql(app, 'SELECT 1 FROM donation WHERE amount = 4322')).toHaveLength(2);
  });
});

describe('the use of a key', () => {
  it('the use of a key is noted at most once a minute', async () => {
    const { id, key } = await createKey(app, admin.token, ['read']);
    const used = async () =>
      (
        await sql<{ last_used_at: Date | null }>(app, 'SELECT last_used_at FROM api_key WHERE id = $1', [id])
      )[0]?.last_used_at;
    await as(app, key).get('/events').expect(200);
    await wait(200);
    const first = await used();
    expect(first).toBeInstanceOf(Date);
    await as(app, key).get('/events').expect(200);
    await as(other, key).get('/events').expect(200);
    await wait(200);
    expect(await used()).toEqual(first);
  });

  it('a key has a budget of 600 requests a minute of its own', async () => {
    const { key } = await createKey(app, admin.token, ['read']);
    const { headers } = await as(app, key).get('/auth/me').expect(200);
    expect([headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual(['600', '599']);
    for (let sent = 1; sent < 600; sent += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, 600 - sent) }, () => as(app, key).get('/auth/me').expect(200)),
      );
    await as(app, key)
      .get('/auth/me')
      .expect(429, /RATE_LIMITED/);
    await as(app, (await createKey(app, admin.token, ['read'])).key)
      .get('/auth/me')
      .expect(200);
  });

  it('a key lets a program keep a guest list, with its name in the audit log', async () => {
    const { id, key } = await createKey(app, admin.token, ['guests']);
    const program = as(app, key);
    const { body } = await program
      .post(`/events/${event.id}/guests`, { name: 'Mary', email: 'mary@example.org' })
      .expect(201);
    const guest = body as { id: string };
    expect(guest).toMatchObject({ name: 'Mary', email: 'mary@example.org' });
    await program.post(`/guests/${guest.id}/check-in`, {}).expect(200);
    await program.get(`/guests/${guest.id}/card`).expect(403);
    const { body: audit } = await admin.get('/audit?actor=api').expect(200);
    const { data, names } = audit as {
      data: { action: string; actorId: string }[];
      names: Record<string, string>;
    };
    expect(data).toContainEqual(
      expect.objectContaining({ action: 'guest.create', actor: 'api', actorId: id }),
    );
    expect(names[id]).toBe('Bookkeeping');
  });

  it('staff and accountants may not manage keys', async () => {
    const { token } = await createStaff(app, admin.token, event.id);
    for (const caller of [as(app, token), as(app, await adminToken(app, 'ACCOUNTANT'))]) {
      await caller.get('/api-keys').expect(403);
      await caller.post('/api-keys', {}).expect(403);
      await caller.delete(`/api-keys/${newId()}`).expect(403);
    }
  });
});
