import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { startPaymentsApp } from '../support/payments.js';
import { as, type Caller } from '../support/bearer.js';
import { createEvent, createStaff, type EventFixture } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
let own: EventFixture;
let other: EventFixture;
let staff: Caller;
let member: string;
/** Ids and slugs of events that the public must not see, and of two events that do not exist. */
let hidden: string[];

beforeAll(async () => {
  [own, other] = [await createEvent(app, admin.token), await createEvent(app, admin.token)];
  const signedIn = await createStaff(app, admin.token, own.id);
  staff = as(app, signedIn.token);
  member = signedIn.id;
  const draft = await createEvent(app, admin.token, { status: 'draft' });
  const archived = await createEvent(app, admin.token);
  await admin.patch(`/events/${archived.id}`, { status: 'archived' }).expect(200);
  hidden = [draft.id, draft.slug, archived.id, archived.slug, newId(), `nobody-has-${newId()}`];
});

/** The answer without the headers that differ between any two answers. */
const said = ({ status, text, headers }: Response) => [status, headers['content-type'], text].join('\n');

const NOT_FOUND = JSON.stringify({
  statusCode: 404,
  message: 'The event does not exist',
  error: 'Not Found',
  code: 'EVENT_NOT_FOUND',
});

async function expectOneAnswer(
  ask: (ref: string) => PromiseLike<Response>,
  refs: readonly string[],
): Promise<void> {
  const answers = new Set<string>();
  for (const ref of refs) answers.add(said(await ask(ref)));
  expect([...answers]).toEqual([`404\napplication/json; charset=utf-8\n${NOT_FOUND}`]);
}

describe('the 404 of a draft, an archived and an unknown event', () => {
  it.each(['/events/:ref', '/events/:ref/settings', '/wall/:ref', '/stage/:ref', '/embed/:ref'])(
    'GET %s answers byte for byte the same 404 for hidden and unknown events',
    async (path) => {
      await expectOneAnswer((ref) => app.http.get(path.replace(':ref', ref)), hidden);
    },
  );

  it.each([
    { amount: 2500, currency: 'eur' },
    { amount: 2500, currency: 'jpy', method: 'wallet' },
    { amount: 1 },
  ])('POST /donations/intent %j answers the same 404 for hidden and unknown events', async (fields) => {
    await expectOneAnswer(
      (eventId) => app.http.post('/donations/intent').send({ ...fields, metadata: { eventId } }),
      hidden,
    );
  });

  it('joinEvent answers the same 404 for draft and unknown events', async () => {
    const client = await WallClient.connect(app.url);
    try {
      const [draft = '', draftSlug = '', , , unknown = '', unknownSlug = ''] = hidden;
      for (const ref of [draft, draftSlug, unknown, unknownSlug])
        expect(JSON.stringify((await client.join(ref)).error)).toBe(NOT_FOUND);
    } finally {
      client.close();
    }
  });
});

describe('the 404 for staff of another event', () => {
  it.each<[string, (ref: string) => PromiseLike<Response>]>([
    ['POST /donations', (eventId) => staff.post('/donations', { eventId, amount: 100, type: 'cash' })],
    ['GET /donations', (ref) => staff.get(`/donations?eventId=${ref}`)],
    ['GET /donations/messages', (ref) => staff.get(`/donations/messages?eventId=${ref}`)],
    ['GET /events/:id/staff', (ref) => staff.get(`/events/${ref}/staff`)],
  ])('%s answers staff the same 404 for another event and an unknown one', async (_, ask) => {
    await expectOneAnswer(ask, [other.id, other.slug, ...hidden]);
  });

  it.each<[string, (id: string) => PromiseLike<Response>]>([
    ['PATCH /donations/:id', (id) => staff.patch(`/donations/${id}`, { donorName: 'x' })],
    ['POST /donations/:id/fulfil', (id) => staff.post(`/donations/${id}/fulfil`, { type: 'cash' })],
    ['POST /donations/:id/message/hide', (id) => staff.post(`/donations/${id}/message/hide`)],
    ['POST /donations/:id/message/approve', (id) => staff.post(`/donations/${id}/message/approve`)],
    ['POST /donations/:id/name/hide', (id) => staff.post(`/donations/${id}/name/hide`)],
    ['POST /donations/:id/name/approve', (id) => staff.post(`/donations/${id}/name/approve`)],
    ['GET /export/receipts/:id', (id) => staff.get(`/export/receipts/${id}`)],
  ])('%s answers staff the same 404 for a donation of another event and an unknown one', async (_, ask) => {
    const { body } = await admin
      .post('/donations', { eventId: other.id, amount: 100, type: 'cash', message: 'Hello' })
      .expect(201);
    const answers = new Set<string>();
    for (const id of [(body as { id: string }).id, newId(), 'x']) answers.add(said(await ask(id)));
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^404\n[\s\S]*"code":"DONATION_NOT_FOUND"/);
  });

  it('the staff sign-in does not reveal which events exist', async () => {
    const { code } = (await admin.get(`/staff/${member}`).expect(200)).body as { code: string };
    const answers = new Set<string>();
    for (const eventId of [other.id, ...hidden])
      answers.add(said(await app.http.post('/auth/staff/login').send({ code, eventId })));
    expect(answers.size).toBe(1);
  });
});
