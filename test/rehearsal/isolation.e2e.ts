import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isRehearsal } from '../../src/common/crypto/rehearsal-ids.js';
import { OF_DONATIONS, OF_EVENT } from '../../src/rehearsal/purge.sql.js';
import type { RehearsalDto } from '../../src/rehearsal/dto/rehearsal.dto.js';
import { createKey } from '../support/api-keys.js';
import { as, errorBody } from '../support/bearer.js';
import { createEvent, createStaff, sql, staffToken } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { createPool, untilMatched } from '../support/match-pools.js';
import { startPaymentsApp } from '../support/payments.js';
import { parseCsv } from '../export/parse-csv.js';
import { withEvent, withOpened } from '../support/setup.js';
import { rowsNaming } from '../support/rows-naming.js';
import { until } from '../support/until.js';
import { WebhookReceiver, withTimes } from '../support/webhook-receiver.js';

const mail = withOpened(() => MailServer.start());
const receiver = withOpened(() => WebhookReceiver.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { ...withTimes(), mailTimes: FAST_MAIL }),
  fields: { currency: 'gbp', date: new Date(Date.now() + 14 * 86_400_000).toISOString() },
});

const ADDRESS = { line1: '1 High Street', city: 'London', postcode: 'N1 9GU', country: 'GB' };
const NAMES = { firstName: 'Ada', lastName: 'Lovelace' };
const TEAM = 'team@charity.example';
let key = '';
let member: { id: string; code: string };
let twin: RehearsalDto;

const give = async (eventId: string, fields: object = {}) =>
  (
    await admin
      .post('/donations', { type: 'cash', amount: 2_500, eventId, ...fields })
      .set('Idempotency-Key', randomUUID())
      .expect(201)
  ).body as { id: string };

/** A donation by card with a Gift Aid declaration for all donations. */
async function payOnline(eventId: string, donorEmail: string): Promise<string> {
  const text = (await app.http.get(`/gift-aid/text?eventId=${eventId}`).expect(200)).body as {
    digest: string;
  };
  const { body } = await app.http
    .post('/donations/intent')
    .send({
      amount: 5_000,
      currency: 'gbp',
      metadata: {
        eventId,
        donorName: 'Ada Lovelace',
        donorEmail,
        giftAid: true,
        giftAidDeclaration: { ...NAMES, textDigest: text.digest },
        address: ADDRESS,
      },
    })
    .expect(201);
  const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
  app.sandbox.stripe.pay(clientSecret);
  await app.sandbox.settled();
  return donationId;
}

/** All kinds of donations, with refunds, a failed refund, an inexact time and e-mails. Returns the ids. */
async function playEvening(eventId: string): Promise<string[]> {
  const ids = [
    (await give(eventId, { donorName: 'Ada Lovelace', donorEmail: 'ada@example.org' })).id,
    (await give(eventId, { recordedAt: new Date(Date.now() + 9 * 86_400_000).toISOString() })).id,
    (await give(eventId, { type: 'pledge', donorName: 'Grace', donorEmail: 'grace@example.org' })).id,
    await payOnline(eventId, 'ada@example.org'),
    await payOnline(eventId, TEAM),
  ];
  const till = as(app, await staffToken(app, member.code, eventId));
  await till.post('/shifts', { openingFloat: 1_000 }).expect(201);
  const returned = await give(eventId, { donorName: 'Returned' });
  await admin
    .post(`/donations/${returned.id}/cancel`, { shouldRefund: true })
    .set('Idempotency-Key', randomUUID());
  await admin
    .post(`/donations/${ids[4] ?? ''}/cancel`, { shouldRefund: true, amount: 500 })
    .set('Idempotency-Key', randomUUID())
    .expect(200);
  await app.sandbox.settled();
  for (const id of [ids[0], ids[3]]) await admin.get(`/export/receipts/${id ?? ''}`).expect(200);
  await untilMatched(app);
  await until(
    async () => (await sql(app, "SELECT 1 FROM email WHERE state = 'queued'")).length === 0,
    'an empty queue of e-mails',
  );
  return [...ids, returned.id];
}

const YEAR = new Date().getFullYear();
const PERIOD = `from=${YEAR - 1}-04-06&to=${YEAR + 1}-04-05`;

/** Every answer about the real event and about the organization. */
const answers = async () => {
  const anonymous = ['/events/public', `/events/${event.slug}`, `/events/${event.slug}/board`];
  const people = [
    '/events',
    '/donations?sort=createdAt',
    '/donations/totals',
    `/donations?eventId=${event.id}`,
    '/donations/export',
    '/donations/export?format=people',
    `/donations/export?eventId=${event.id}`,
    '/totals/explain',
    `/events/${event.id}/explain-total`,
    `/events/${event.id}/tonight`,
    `/events/${event.id}/till-report`,
    `/events/${event.id}/guests/export`,
    `/statistics?eventId=${event.id}`,
    '/donors',
    '/donors?search=ada',
    '/review-items/open',
    '/emails',
    '/payouts',
    '/shifts',
    '/gift-aid/export',
    `/gift-aid/claims/preview?${PERIOD}`,
    `/gift-aid/claims/preview/donations?${PERIOD}`,
    `/gift-aid/gasds?taxYear=${new Date() < new Date(`${YEAR}-04-06`) ? YEAR - 1 : YEAR}`,
    `/export/fr/222bis?year=${YEAR}`,
    '/export/sealed-receipts',
    `/match-pools?eventId=${event.id}`,
    `/milestones?eventId=${event.id}`,
    `/events/${event.id}/teams`,
    ...(await donors()).flatMap((donor) => [`/donors/${donor}`, `/donors/${donor}/statement?year=${YEAR}`]),
  ];
  const program = as(app, key);
  const texts: Record<string, unknown> = {};
  const take = (path: string, { status, text, body }: { status: number; text?: string; body: unknown }) => {
    texts[path] =
      `${status} ${text ?? (Buffer.isBuffer(body) ? body.toString('latin1') : JSON.stringify(body))}`;
  };
  for (const path of anonymous) take(path, await app.http.get(path));
  for (const path of people) take(path, await admin.get(path));
  for (const path of ['/events', '/donations?sort=createdAt', '/donations/export'])
    take(`key ${path}`, await program.get(path));
  texts.counters = await sql(
    app,
    'SELECT year, last_number FROM receipt_counter WHERE year > 0 ORDER BY year',
  );
  texts.feed = await sql(app, 'SELECT last_sequence FROM event_feed WHERE event_id = $1', [event.id]);
  texts.totals = await sql(
    app,
    'SELECT currency, sum(total_raised), sum(donor_count) FROM event_total WHERE event_id = $1 GROUP BY 1',
    [event.id],
  );
  return timeless(texts);
};

const donors = async () =>
  ((await admin.get('/donors').expect(200)).body as { data: { key: string }[] }).data.map(
    ({ key: id }) => id,
  );

/**
 * Removes what differs in each answer: its time, empty minutes of the last hour, the time and the id of a PDF, and the times at which
 * the payment provider last answered, which belong to the whole server.
 */
const timeless = (texts: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [
      path,
      typeof text === 'string'
        ? text
            .replaceAll(/"(?:asOf|lastOkAt|lastWebhookAt)":"[^"]*"/g, '')
            .replaceAll(/,?\{"minute":"[^"]*","count":0[^}]*\}/g, '')
            .replaceAll(/\(D:\d+Z\)|\/ID \[[^\]]*\]|<xmp:CreateDate>[^<]*/g, '')
        : text,
    ]),
  );

const changes = async (after: string) =>
  (await as(app, key).get(`/changes?after=${after}`).expect(200)).body as { data: unknown[]; next: string };

let before: Record<string, unknown>;
let cursor = '';
let played: string[] = [];
beforeAll(async () => {
  ({ key } = await createKey(app, admin.token, ['read', 'read:personal', 'export', 'record']));
  member = await createStaff(app, admin.token, event.id);
  await admin
    .patch('/settings/global', {
      legal: { legalName: 'Whale Rescue Trust' },
      donation: { fields: { giftAid: true, address: 'optional' }, giftAidScope: 'past_and_future' },
    })
    .expect(200);
  await admin.post('/webhook-endpoints', { url: receiver.url }).expect(201);
  await admin.post(`/events/${event.id}/teams/tables`, { count: 3, name: 'Table' });
  await admin.post(`/events/${event.id}/milestones`, { amount: 1_000, title: 'First' }).expect(201);
  await createPool(admin, event.id);
  for (const [index, name] of ['Mary Jones', 'Omar Haddad'].entries())
    await admin
      .post(`/events/${event.id}/guests`, { name, email: `g${index}@example.org`, paddle: `${index + 1}` })
      .expect(201);
  await playEvening(event.id);
  await until(() => receiver.received.length > 4, 'webhooks of the real event');
  cursor = ((await as(app, key).get('/changes').expect(200)).body as { next: string }).next;
  before = await answers();
}, 60_000);

const start = (fields: object = {}) =>
  admin.post(`/events/${event.id}/rehearsal`, { withNames: false, mailTo: [TEAM], ...fields });

describe('a rehearsal', () => {
  it('a rehearsal copies the team, tables, milestones, pools and guests of its event, with sample names', async () => {
    await admin.get(`/events/${event.id}/rehearsal`).expect(404);
    twin = (await start().expect(201)).body as RehearsalDto;
    expect(twin).toMatchObject({ slug: `${event.slug}-rehearsal`, mailTo: [TEAM], isEnding: false });
    expect(isRehearsal(twin.eventId)).toBe(true);
    expect((await admin.get(`/events/${event.slug}/rehearsal`).expect(200)).body).toEqual(twin);
    const { body: guests } = await admin.get(`/events/${twin.eventId}/guests`).expect(200);
    const { data } = guests as { data: { name: string; email: string | null; paddle: string }[] };
    expect(data.map(({ paddle }) => paddle).sort()).toEqual(['1', '2']);
    expect(data.map(({ name }) => name)).not.toContain('Mary Jones');
    expect(data.map(({ email }) => email)).toEqual([null, null]);
    for (const path of [`/match-pools?eventId=${twin.eventId}`, `/milestones?eventId=${twin.eventId}`])
      expect(((await admin.get(path).expect(200)).body as { data: unknown[] }).data).toHaveLength(1);
    const { body: teams } = await admin.get(`/events/${twin.eventId}/teams`).expect(200);
    expect((teams as { data: unknown[] }).data).toHaveLength(3);
    await staffToken(app, member.code, twin.eventId);
  });

  it('a rehearsal exists once for an event, and has no rehearsal of its own', async () => {
    expect((await start().expect(409)).body).toEqual(errorBody(409, 'Conflict', 'REHEARSAL_EXISTS'));
    const own = await admin
      .post(`/events/${twin.eventId}/rehearsal`, { withNames: true, mailTo: [] })
      .expect(409);
    expect(own.body).toEqual(errorBody(409, 'Conflict', 'REHEARSAL_EXISTS'));
  });

  it('a sign-in without an event is for the real event', async () => {
    const { body } = await app.http.post('/auth/staff/login').send({ code: member.code }).expect(200);
    expect(body).toMatchObject({ user: { eventId: event.id } });
  });

  it('a rehearsal changes no answer about the real event and the organization while the evening is played', async () => {
    receiver.received.length = 0;
    mail.received.length = 0;
    played = await playEvening(twin.eventId);
    expect(await answers()).toEqual(before);
    const { data, next } = await changes(cursor);
    expect(data).toEqual([]);
    expect(next).not.toBe(cursor);
    expect(receiver.received).toEqual([]);
  });

  it('a rehearsal has its own list, and a file only for those who ask for the rehearsal', async () => {
    const { body } = await admin.get(`/donations?eventId=${twin.eventId}`).expect(200);
    expect((body as { data: unknown[] }).data).toHaveLength(played.length);
    const records = async (query: string) =>
      parseCsv((await admin.get(`/donations/export?eventId=${twin.eventId}${query}`).expect(200)).text)
        .length - 1;
    expect(await records('')).toBe(0);
    expect(await records('&rehearsal=true')).toBe(played.length);
  });

  it('an API key for all events does not reach the rehearsal', async () => {
    const program = as(app, key);
    await program.get(`/donations?eventId=${twin.eventId}`).expect(404);
    await program
      .post('/donations', { type: 'cash', amount: 100, eventId: twin.eventId })
      .set('Idempotency-Key', randomUUID())
      .expect(404);
  });

  it('a rehearsal sends e-mails to its team only, and keeps the others as not sent', async () => {
    expect(mail.received.flatMap(({ recipients }) => recipients)).toEqual([TEAM]);
    const kept = await sql(
      app,
      `SELECT DISTINCT state::text, last_error FROM email WHERE donation_id = ANY($1) AND state <> 'sent'`,
      [played],
    );
    expect(kept).toEqual([{ state: 'failed', last_error: 'Not sent: rehearsal' }]);
  });

  it('a rehearsal numbers its receipts from R-000001', async () => {
    const file = await admin.get(`/export/receipts/${played[0] ?? ''}`).expect(200);
    expect(file.headers['content-disposition']).toContain('R-000001');
    await admin.get(`/export/receipts/zip?eventId=${twin.eventId}`).expect(200);
    const rows = await sql(
      app,
      `SELECT year < 0 AS is_own, number, check_code FROM receipt WHERE donation_id = ANY($1) ORDER BY number LIMIT 2`,
      [played],
    );
    expect(rows).toEqual([
      { is_own: true, number: 1, check_code: null },
      { is_own: true, number: 2, check_code: null },
    ]);
  });

  it('a rehearsal ends only as a rehearsal, not by the deletion of its event', async () => {
    const refused = errorBody(409, 'Conflict', 'EVENT_HAS_REHEARSAL');
    expect((await admin.delete(`/events/${twin.eventId}`).expect(409)).body).toEqual(refused);
  });

  it('a rehearsal keeps its real event from being deleted', async () => {
    const real = await createEvent(app, admin.token);
    await admin.post(`/events/${real.id}/rehearsal`, { withNames: true, mailTo: [] }).expect(201);
    expect((await admin.delete(`/events/${real.id}`).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'EVENT_HAS_REHEARSAL'),
    );
    await admin.delete(`/events/${real.id}/rehearsal`).expect(202);
    await until(async () => (await admin.delete(`/events/${real.id}`)).status === 200, 'the deletion');
  });
});

describe('the end of a rehearsal', () => {
  it('the end of a rehearsal leaves no row of the rehearsal, except in the audit log, which the service cannot change', async () => {
    const guests = await sql<{ id: string }>(app, 'SELECT id FROM guest WHERE event_id = $1', [twin.eventId]);
    const ids = [twin.eventId, ...played, ...guests.map(({ id }) => id)];
    const filled = Object.keys(await rowsNaming(app, ids));
    expect(filled).toEqual(
      expect.arrayContaining(['donation', 'receipt', 'refund', 'email', 'outbox', 'match_draw']),
    );
    const token = await staffToken(app, member.code, twin.eventId);
    expect((await admin.delete(`/events/${event.id}/rehearsal`).expect(202)).body).toMatchObject({
      eventId: twin.eventId,
      isEnding: true,
    });
    await until(
      async () => (await admin.get(`/events/${event.id}/rehearsal`)).status === 404,
      'the deletion',
    );
    const { audit_entry: _, ...left } = await rowsNaming(app, ids);
    expect(left).toEqual({});
    await as(app, token).get('/auth/me').expect(401);
  });

  it('the end of a rehearsal leaves every answer about the real event and the organization as it was', async () => {
    expect(await answers()).toEqual(before);
    expect(receiver.received).toEqual([]);
  });

  it('the deletion of a rehearsal is one line in the audit log, with the numbers of deleted rows', async () => {
    const [entry] = await sql<{ subject_id: string; detail: { deleted: Record<string, number> } }>(
      app,
      "SELECT subject_id, detail FROM audit_entry WHERE action = 'rehearsal.delete' AND subject_id = $1",
      [event.id],
    );
    expect(entry?.detail.deleted).toMatchObject({ donation: played.length, event: 1, guest: 2 });
  });

  it('a record or an intent that arrives later gets 410 REHEARSAL_OVER', async () => {
    const gone = errorBody(410, 'Gone', 'REHEARSAL_OVER');
    const record = await as(app, await staffToken(app, member.code, event.id))
      .post('/donations', { type: 'cash', amount: 100, eventId: twin.eventId })
      .set('Idempotency-Key', randomUUID())
      .expect(410);
    expect(record.body).toEqual(gone);
    const intent = await app.http
      .post('/donations/intent')
      .send({ amount: 500, currency: 'gbp', metadata: { eventId: twin.eventId } })
      .expect(410);
    expect(intent.body).toEqual(gone);
  });

  it('a payment that arrives later is ignored', async () => {
    const another = (await start().expect(201)).body as RehearsalDto;
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 500, currency: 'gbp', metadata: { eventId: another.eventId } })
      .expect(201);
    await admin.delete(`/events/${event.id}/rehearsal`).expect(202);
    await until(
      async () => (await admin.get(`/events/${event.id}/rehearsal`)).status === 404,
      'the deletion',
    );
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    expect(await answers()).toEqual(before);
  });
});

describe('the list of tables of a rehearsal', () => {
  it('the list of tables of a rehearsal names every table with rows about events and donations that no foreign key deletes', async () => {
    const listed = new Set([...OF_DONATIONS, ...OF_EVENT].map(({ table }) => table));
    const cascades = await sql<{ child: string; parent: string }>(
      app,
      `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent FROM pg_constraint
        WHERE contype = 'f' AND confdeltype = 'c'`,
    );
    const gone = new Set(listed);
    for (let size = 0; size !== gone.size;) {
      size = gone.size;
      for (const { child, parent } of cascades) if (gone.has(parent)) gone.add(child);
    }
    const about = await sql<{ name: string }>(
      app,
      `SELECT DISTINCT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name IN ('event_id', 'donation_id', 'pledge_id', 'guest_id',
          'pool_id', 'shift_id', 'team_id', 'round_id', 'import_id') ORDER BY 1`,
    );
    const others = about.map(({ name }) => name).filter((name) => !gone.has(name));
    expect(others).toEqual(Object.keys(KEPT).sort());
  });
});

/** Tables whose rows survive a rehearsal or never belong to one, with the reason. */
const KEPT = {
  collective_gift: 'a receipt for the tax office, which a rehearsal never has',
  gift_aid_adjustment: 'a claim contains no donation of a rehearsal',
  gift_aid_claim_donation: 'a claim contains no donation of a rehearsal',
  saved_card: 'loses its event, and is then deleted at the provider',
  terminal: 'loses its event',
};
