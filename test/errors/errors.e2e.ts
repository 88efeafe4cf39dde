import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

const app = withService();
const admin = withAdmin(app);
let eventId: string;

beforeAll(async () => {
  eventId = (await createEvent(app, admin.token)).id;
});

const bearer = { type: 'bearer' } as const;
const postJson = (json: string | Buffer, type = 'application/json') =>
  admin.post('/events').set('Content-Type', type).send(json);
const event = (fields: object = {}) => ({ name: 'Gala', slug: `e-${newId()}`, goalAmount: 100, ...fields });
const postEvent = (fields: object) => admin.post('/events', event(fields));

/** Checks the standard error body: three fields and the machine-readable `code`. */
function expectError(answer: Response, status: number, code?: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  const body = answer.body as Record<string, unknown>;
  const refused = body.code === 'VALIDATION_FAILED' ? ['fields'] : [];
  expect(Object.keys(body).sort()).toEqual(['code', 'error', ...refused, 'message', 'statusCode']);
  expect(body.code).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
  expect(body.statusCode).toBe(status);
  expect(body.error).toBe(REASONS[status]);
  expect(typeof body.message).toBe('string');
  expect(body.message).not.toBe('');
  if (code !== undefined) expect(body.code).toBe(code);
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.js:|\.ts:|SELECT|INSERT|prisma|at Object\./i);
}

describe('every error has the body { statusCode, message, error, code }', () => {
  it('400: invalid input lists all problems, joined with "; "', async () => {
    const answer = await postEvent({ name: '', goalAmount: -1, colour: 'red' });
    expectError(answer, 400, 'VALIDATION_FAILED');
    const { message } = answer.body as { message: string };
    expect(message.split('; ').sort()).toEqual([
      'colour is not a known field',
      'goalAmount must be at least 0',
      'name must not be empty',
    ]);
  });

  it('400: malformed JSON is refused and not quoted', async () => {
    const answer = await postJson('{"name": "secret-text');
    expectError(answer, 400, 'MALFORMED_JSON');
    expect(answer.text).not.toContain('secret-text');
  });

  it('400: JSON that is nested too deep is refused', async () => {
    expectError(await postJson(`${'['.repeat(30)}${']'.repeat(30)}`), 400, 'TOO_DEEP');
    expectError(await postJson('{"a":'.repeat(40) + '1' + '}'.repeat(40)), 400);
  });

  it.each(['[]', 'null', '"text"', '42', 'true'])(
    '400: the body %s instead of an object is refused',
    async (json) => {
      expectError(await postJson(json), 400);
    },
  );

  it('400: a missing body is refused', async () => {
    expectError(await admin.post('/events'), 400, 'VALIDATION_FAILED');
  });

  it('400: an undecodable path is refused', async () => {
    expectError(await app.http.get('/events/%E0%A4%A'), 400);
  });

  it('401: a missing or invalid token is refused', async () => {
    expectError(await app.http.get('/events'), 401);
    for (const token of ['x', 'a.b.c', `${admin.token}x`, ''])
      expectError(await as(app, token).get('/events'), 401);
    expectError(await app.http.get('/events').set('Authorization', `Basic ${admin.token}`), 401);
  });

  it('403: a wrong role is refused', async () => {
    const staff = await createStaff(app, admin.token, eventId);
    expectError(await as(app, staff.token).post('/events', event()), 403, 'FORBIDDEN');
  });

  it('404: an unknown route, method or object is not found', async () => {
    expectError(await app.http.get('/nothing/here'), 404);
    expectError(await app.http.put('/events').send({}), 404);
    expectError(await app.http.get('/nothing-here'), 404);
    expectError(await app.http.get('/events/nobody-has-this'), 404, 'EVENT_NOT_FOUND');
  });

  it('409: a conflict is reported', async () => {
    const slug = `twice-${newId()}`;
    await postEvent({ slug }).expect(201);
    expectError(await postEvent({ slug }), 409, 'EVENT_SLUG_TAKEN');
  });

  it('413: a body over 100 KB is refused, compressed or not', async () => {
    const large = JSON.stringify(event({ description: 'x'.repeat(110_000) }));
    expectError(await postJson(large), 413);
    const packed = await admin
      .post('/events')
      .set('Content-Type', 'application/json')
      .set('Content-Encoding', 'gzip')
      .serialize((body: unknown) => body as string)
      .send(gzipSync(large) as unknown as string);
    expectError(packed, 413);
  });

  it('415: another content type, charset or encoding is refused', async () => {
    expectError(await postJson('name=Gala', 'application/x-www-form-urlencoded'), 415);
    expectError(await postJson('<event/>', 'text/xml'), 415);
    expectError(await postJson('{}', 'application/json; charset=klingon'), 415);
    expectError(await postJson('{}').set('Content-Encoding', 'snappy'), 415);
  });

  it('429: too many requests are refused', async () => {
    const { limits } = app.app.get((await import('../../src/config/app-config.js')).AppConfig);
    const limited = await startApp({}, { limits: { ...limits, perMinute: 2 } });
    try {
      await limited.http.get('/events/public').expect(200);
      await limited.http.get('/events/public').expect(200);
      const answer = await limited.http.get('/events/public');
      expectError(answer, 429, 'RATE_LIMITED');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await limited.close();
    }
  });

  it('500: a server error does not reveal its cause', async () => {
    const broken = await startApp();
    try {
      await sql(broken, 'ALTER TABLE event_total RENAME TO event_total_gone');
      const answer = await broken.http.get('/events/public');
      expectError(answer, 500, 'INTERNAL_ERROR');
      expect(answer.body).toEqual({
        statusCode: 500,
        message: 'Internal Server Error',
        error: 'Internal Server Error',
        code: 'INTERNAL_ERROR',
      });
    } finally {
      await broken.close();
    }
  });

  it('every answer has a request id and does not reveal the server software', async () => {
    const { headers } = await app.http.get('/nothing');
    expect(headers['x-request-id']).toMatch(/^[\w.-]+$/);
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it('the server survives requests that are not HTTP', async () => {
    const { hostname, port } = new URL(app.url);
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('nonsense\r\n\r\n'));
      socket.once('error', reject);
      socket.once('close', () => {
        resolve();
      });
      socket.resume();
    });
    await app.http.get('/health/live').expect(200);
  });
});

describe('input', () => {
  it('input text is trimmed and normalized to NFC', async () => {
    const { body } = await postEvent({ name: '  Cafe\u0301 ' }).expect(201);
    expect(body).toMatchObject({ name: 'Caf\u00e9' });
  });

  it('input may use any script and emoji', async () => {
    const name = '慈善晚会 ليلة خيرية 🎉👨‍👩‍👧';
    const { body } = await postEvent({ name }).expect(201);
    expect(body).toMatchObject({ name });
    const { body: read } = await app.http.get(`/events/${(body as { slug: string }).slug}`).expect(200);
    expect(read).toMatchObject({ name });
  });

  it('the length of input is counted in characters, not in bytes or halves of emoji', async () => {
    await postEvent({ name: '🎉'.repeat(200) }).expect(201);
    await postEvent({ name: '🎉'.repeat(201) }).expect(400);
  });

  it.each([
    ['a NUL', 'a\u0000b'],
    ['a control character', 'a\u0007b'],
    ['an escape', 'a\u001bb'],
    ['a line break', 'a\nb'],
    ['a direction override', 'a\u202eb'],
  ])('a name with %s is refused', async (_, name) => {
    expectError(await postEvent({ name }), 400);
  });

  it('a name with half a surrogate pair is refused', async () => {
    const json = JSON.stringify(event({ name: 'NAME' })).replace('NAME', 'a\\ud83d');
    expectError(await postJson(json), 400);
  });

  it('input is not converted: "false" is no boolean, "5" no number, 5 no text', async () => {
    for (const fields of [
      { goalAmount: '5' },
      { goalAmount: true },
      { name: 5 },
      { name: ['Gala'] },
      { name: {} },
    ])
      expectError(await postEvent(fields), 400);
    const answer = await admin.patch('/settings/global', { live: { moderateMessages: 'false' } });
    expectError(answer, 400);
  });

  it('a number beyond the safe integers is refused', async () => {
    for (const number of ['9007199254740992', '1e400', '1e16', '-0.5', '1.0000001'])
      expectError(await postJson(`{"name":"a","slug":"n-${newId()}","goalAmount":${number}}`), 400);
  });

  it('no field accepts an operator object', async () => {
    expectError(await postEvent({ slug: { not: '' } }), 400);
    expectError(await app.http.post('/auth/login').send({ email: { not: '' }, password: { not: '' } }), 400);
  });

  it('a repeated query parameter is refused', async () => {
    expectError(await admin.get('/events?limit=1&limit=2'), 400);
    expectError(await admin.get('/events?limit[gt]=1'), 400);
    expectError(await admin.get('/donations?status=PENDING&status=FAILED'), 400);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString'])(
    'the field name %s is refused as unknown',
    async (field) => {
      const json = JSON.stringify(event()).replace('{', `{"${field}":{"polluted":true},`);
      const answer = await postJson(json);
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(answer.body).toMatchObject({ message: `${field} is not a known field` });
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  const NOT_IDS = [
    'x',
    '0',
    '-1',
    "1' OR '1'='1",
    '%00',
    '%F0%9F%8E%89',
    '..%2F..',
    newId(),
    'x'.repeat(2000),
  ];
  const ROUTES: [method: 'get' | 'post' | 'patch' | 'put' | 'delete', path: string][] = [
    ['get', '/events/:x'],
    ['get', '/events/:x/settings'],
    ['patch', '/events/:x'],
    ['delete', '/events/:x'],
    ['patch', '/events/:x/settings'],
    ['patch', '/events/:x/branding'],
    ['delete', '/events/:x/branding'],
    ['get', '/events/:x/staff'],
    ['post', '/events/:x/staff/:other'],
    ['post', '/events/:event/staff/:x'],
    ['delete', '/events/:event/staff/:x'],
    ['get', '/staff/:x'],
    ['delete', '/staff/:x'],
    ['patch', '/donations/:x'],
    ['post', '/donations/:x/cancel'],
    ['get', '/donations/:x/history'],
    ['get', '/export/receipts/:x'],
  ];

  it.each(ROUTES)('an invalid id answers 404 or 400, never 500: %s %s', async (method, path) => {
    for (const id of NOT_IDS) {
      const url = path.replace(':x', id).replace(':event', eventId).replace(':other', newId());
      const body = path.endsWith('/cancel') ? { shouldRefund: false } : {};
      const answer = await app.http[method](url)
        .auth(admin.token, bearer)
        .send(method === 'get' ? undefined : body);
      expect([400, 404]).toContain(answer.status);
      expectError(answer, answer.status);
    }
  });
});
