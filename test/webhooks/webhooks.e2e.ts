import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  WebhookEndpointDto,
  WebhookEndpointWithSecret,
} from '../../src/webhooks/dto/webhook-endpoint.dto.js';
import type { WebhookMessageDto } from '../../src/webhooks/dto/webhook-message.dto.js';
import { as, type DonationBody } from '../support/bearer.js';
import { WEBHOOK_TOPICS } from '../../src/webhooks/webhook-topics.js';
import { validator } from '../contract/described.js';
import { WebhookSender } from '../../src/webhooks/sending/webhook-sender.service.js';
import { createPool } from '../support/match-pools.js';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened, withStaff } from '../support/setup.js';
import { enrolTerminal, signInOn } from '../support/terminals.js';
import { until } from '../support/until.js';
import {
  accepts,
  answers,
  hangs,
  resets,
  Webhook,
  WebhookReceiver,
  withTimes,
} from '../support/webhook-receiver.js';

const mail = withOpened(() => MailServer.start());
const receiver = withOpened(() => WebhookReceiver.start());
const evening = withEvent({
  start: () => startPaymentsApp(mail.environment, { ...withTimes(), mailTimes: FAST_MAIL }),
  each: true,
});
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });
const second = withStaff(evening, { name: 'Grace Hopper', each: true });

const create = async (fields: object = {}) =>
  (await admin.post('/webhook-endpoints', { url: receiver.url, ...fields }).expect(201))
    .body as WebhookEndpointWithSecret;
const read = async ({ id }: { id: string }) =>
  (await admin.get(`/webhook-endpoints/${id}`).expect(200)).body as WebhookEndpointDto;
const messagesOf = async ({ id }: { id: string }, query = '') =>
  (
    (await admin.get(`/webhook-endpoints/${id}/messages${query}`).expect(200)).body as {
      data: WebhookMessageDto[];
    }
  ).data;
const step = (endpoint: { id: string }, name: string, body: object = {}) =>
  admin.post(`/webhook-endpoints/${endpoint.id}/${name}`, body);
const give = async (amount: number, fields: object = {}) =>
  (
    await staff
      .post('/donations', { type: 'cash', amount, ...fields })
      .set('Idempotency-Key', randomUUID())
      .expect(201)
  ).body as DonationBody;
const refund = (id: string, fields: object = {}) =>
  admin
    .post(`/donations/${id}/cancel`, { shouldRefund: true, ...fields })
    .set('Idempotency-Key', randomUUID())
    .expect(200);
/** Pays with a card, and returns the id of the donation. */
const payOnline = async (metadata: object): Promise<string> => {
  const { body } = await app.http
    .post('/donations/intent')
    .send({ amount: 4_000, method: 'card', metadata: { eventId: event.id, donorName: 'Ada', ...metadata } })
    .expect(201);
  const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
  app.sandbox.stripe.pay(clientSecret);
  return donationId;
};
const untilReceived = (count: number, type?: string) =>
  until(
    () => (type === undefined ? receiver.received : receiver.ofType(type)).length >= count,
    `${count} messages ${type ?? ''}`,
  );
const untilState = (endpoint: { id: string }, state: string, count = 1) =>
  until(
    async () => (await messagesOf(endpoint, `?states=${state}`)).length >= count,
    `${count} ${state} messages`,
  );

const problemAt = validator(JSON.parse(readFileSync('asyncapi.json', 'utf8')) as object, 'asyncapi');
const described = new Set<string>();

afterEach(() => {
  for (const { body } of receiver.received) {
    const key = `webhook${body.type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
    expect([body, problemAt(`/components/messages/${key}/payload`, body)]).toEqual([body, undefined]);
    described.add(body.type);
  }
});

beforeEach(async () => {
  const { body } = await admin.get('/webhook-endpoints').expect(200);
  for (const { id } of (body as { data: { id: string }[] }).data)
    await admin.delete(`/webhook-endpoints/${id}`).expect(200);
  receiver.behaviour = accepts;
  receiver.received.length = 0;
});

describe('outgoing webhooks', () => {
  it('webhooks announce a donation, its changes and its refunds, with growing versions and valid signatures', async () => {
    const { secret } = await create();
    const donation = await give(4_000, { donorName: 'Ada Lovelace', donorEmail: 'ada@example.org' });
    await untilReceived(1);
    await staff.patch(`/donations/${donation.id}`, { donorName: 'Ann' }).expect(200);
    await untilReceived(2);
    await refund(donation.id, { amount: 1_500 });
    await untilReceived(3);
    await refund(donation.id);
    await untilReceived(4);
    expect(receiver.received.map(({ body }) => body.type)).toEqual([
      'donation.completed',
      'donation.updated',
      'donation.refunded',
      'donation.refunded',
    ]);
    const versions = receiver.received.map(({ body }) => body.data.version as number);
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4);
    const [first] = receiver.received;
    expect(first?.body.data).toMatchObject({
      id: donation.id,
      eventId: event.id,
      eventSlug: event.slug,
      amount: 4_000,
      refundedAmount: 0,
      currency: 'eur',
      type: 'cash',
      status: 'COMPLETED',
    });
    expect(receiver.received.at(-1)?.body.data).toMatchObject({ status: 'REFUNDED', refundedAmount: 4_000 });
    const { pathname, search } = new URL(first?.body.data.url as string);
    const { body } = await admin.get(pathname + search).expect(200);
    expect((body as { data: object[] }).data).toMatchObject([{ id: donation.id }]);
    for (const { text, headers } of receiver.received) {
      expect(new Webhook(secret).verify(text, headers)).toEqual(JSON.parse(text));
      expect(text).not.toContain('Ada');
      expect(headers['user-agent']).toMatch(/^Fundraising-Donations\//);
      expect(Buffer.byteLength(text)).toBeLessThan(20_000);
    }
    expect(() =>
      new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(
        first?.text ?? '',
        first?.headers ?? {},
      ),
    ).toThrow();
  });

  it('webhooks announce a donation that was undone, a match pool, a milestone and the status of an event', async () => {
    await create();
    const pool = await createPool(admin, event.id, { cap: 10_000 });
    await admin.post(`/events/${event.id}/milestones`, { amount: 1_000, title: 'First step' }).expect(201);
    const donation = await give(2_000);
    await untilReceived(1, 'milestone.reached');
    await until(
      () => receiver.ofType('match.changed').some(({ body }) => body.data.drawn === 2_000),
      'the draw',
    );
    expect(receiver.ofType('match.changed').at(-1)?.body.data).toMatchObject({ id: pool.id, left: 8_000 });
    // The matched amount is shown on the wall, but the donation is the same.
    expect(receiver.ofType('donation.updated')).toEqual([]);
    await admin.post(`/donations/${donation.id}/undo`).expect(200);
    await admin.patch(`/events/${event.id}`, { status: 'closed' }).expect(200);
    await untilReceived(1, 'donation.cancelled');
    await untilReceived(1, 'event.status_changed');
    expect(receiver.ofType('event.status_changed')[0]?.body.data).toMatchObject({
      id: event.id,
      slug: event.slug,
      status: 'closed',
    });
  });

  it('webhooks announce a pledge that was made, kept or withdrawn, except if it was made before the first endpoint', async () => {
    const pledge = (amount: number) => give(amount, { type: 'pledge', donorName: 'Ada Lovelace' });
    const early = await pledge(1_000);
    await create({ topics: ['pledge.made', 'pledge.kept', 'pledge.withdrawn', 'donation.completed'] });
    const kept = await pledge(2_000);
    await untilReceived(1, 'pledge.made');
    await staff.post(`/donations/${kept.id}/fulfil`, { type: 'cash' }).expect(200);
    await untilReceived(1, 'pledge.kept');
    await untilReceived(1, 'donation.completed');
    await staff.post(`/donations/${early.id}/fulfil`, { type: 'cash' }).expect(200);
    await untilReceived(2, 'pledge.kept');
    const withdrawn = await pledge(3_000);
    await untilReceived(2, 'pledge.made');
    await admin.post(`/donations/${withdrawn.id}/undo`).expect(200);
    await untilReceived(1, 'pledge.withdrawn');
    const paidOnline = await pledge(4_000);
    const link = await admin.post(`/donations/${paidOnline.id}/payment-link`).expect(201);
    const pledgeToken = new URL((link.body as { url: string }).url).searchParams.get('pledge');
    const paid = await payOnline({ pledgeToken });
    await untilReceived(3, 'pledge.kept');
    await untilReceived(3, 'donation.completed');
    const told = receiver.received
      .filter(({ body }) => body.type.startsWith('pledge.'))
      .map(({ body: { type, data } }) => [type, data.id, data.status, data.paidBy]);
    expect(told).toHaveLength(7);
    expect(told).toEqual(
      expect.arrayContaining([
        ['pledge.made', kept.id, 'open', null],
        ['pledge.kept', kept.id, 'kept', kept.id],
        ['pledge.kept', early.id, 'kept', early.id],
        ['pledge.made', withdrawn.id, 'open', null],
        ['pledge.withdrawn', withdrawn.id, 'withdrawn', null],
        ['pledge.made', paidOnline.id, 'open', null],
        ['pledge.kept', paidOnline.id, 'kept', paid],
      ]),
    );
    const versions = receiver.received
      .filter(({ body }) => body.type.startsWith('pledge.') && body.data.id === kept.id)
      .map(({ body }) => body.data.version as number);
    expect(versions[1]).toBeGreaterThan(versions[0] ?? NaN);
    expect(receiver.ofType('donation.completed')).toHaveLength(3);
    expect(receiver.received.map(({ text }) => text).join('')).not.toContain('Ada');
  });

  it('webhooks have only the chosen topics and events', async () => {
    const chosen = await create({ topics: ['donation.refunded'] });
    const elsewhere = await create({ eventIds: [randomUUID()] });
    const donation = await give(1_000);
    await refund(donation.id);
    await untilReceived(1);
    await until(async () => (await messagesOf(chosen)).length === 1, 'the message');
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['donation.refunded']);
    expect(await messagesOf(elsewhere)).toEqual([]);
  });

  it('webhooks contain personal data only if an admin chose it, and never that of an erased donor', async () => {
    const full = await create({ containsPersonalData: true });
    receiver.behaviour = answers(500);
    await give(1_000, { donorName: 'Grace Hopper', donorEmail: 'grace@example.org' });
    await untilReceived(1);
    expect(receiver.received[0]?.body.data).toMatchObject({
      donorName: 'Grace Hopper',
      donorEmail: 'grace@example.org',
      isAnonymous: false,
    });
    expect(JSON.stringify(await messagesOf(full))).not.toContain('Grace');
    const { body } = await admin.get('/donors?search=grace@example.org').expect(200);
    const [donor] = (body as { data: { key: string }[] }).data;
    await admin.delete(`/donors/${donor?.key}`).expect(200);
    receiver.received.length = 0;
    receiver.behaviour = accepts;
    await untilState(full, 'delivered', 2);
    expect(receiver.received.map(({ text }) => text).join('')).not.toContain('Grace');
    expect(receiver.ofType('donor.erased')).toHaveLength(1);
    const audit = await sql<{ detail: object }>(
      app,
      `SELECT detail FROM audit_entry WHERE action = 'webhook.create' AND subject_id = $1`,
      [full.id],
    );
    expect(audit).toEqual([{ detail: { payload: 'full' } }]);
  });

  it.each([
    ['answers 500', answers(500, {}, 'out of order')],
    ['hangs', hangs],
    ['resets the connection', resets],
    ['redirects', answers(302, { location: 'https://example.org/' })],
  ])('a webhook is repeated with the same id if the receiver %s', async (_, behaviour) => {
    const endpoint = await create();
    receiver.behaviour = behaviour;
    await give(1_000);
    await untilReceived(2);
    receiver.behaviour = accepts;
    await untilState(endpoint, 'delivered');
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    const [message] = await messagesOf(endpoint);
    expect(message?.tries[0]).toMatchObject({ isSuccess: true, status: 204, error: null });
    expect(message?.tries.at(-1)).toMatchObject({ isSuccess: false, error: expect.any(String) });
    expect(await read(endpoint)).toMatchObject({ status: 'active', failingSince: null, waiting: 0 });
  });

  it('webhooks are delivered although the receiver answers with 10 MB', async () => {
    const endpoint = await create();
    receiver.behaviour = answers(200, {}, 'x'.repeat(10_000_000));
    await give(1_000);
    await untilState(endpoint, 'delivered');
    expect(receiver.received).toHaveLength(1);
  });

  it('webhooks fail after the last attempt, and are sent again by an admin', async () => {
    const endpoint = await create();
    receiver.behaviour = answers(500, {}, 'out of order');
    await give(1_000);
    await untilState(endpoint, 'failed');
    const [message] = await messagesOf(endpoint);
    expect(message).toMatchObject({ attempts: 5, nextAttemptAt: null });
    expect(message?.tries[0]?.error).toBe('Status 500: out of order');
    expect(receiver.received).toHaveLength(5);
    receiver.behaviour = accepts;
    await step(endpoint, `messages/${message?.id}/resend`).expect(200);
    await untilState(endpoint, 'delivered');
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    await step(endpoint, `messages/msg_${'0'.repeat(26)}/resend`).expect(404);
  });

  it('webhooks honour Retry-After', async () => {
    const endpoint = await create();
    receiver.behaviour = answers(503, { 'retry-after': '7200' });
    await give(1_000);
    await until(async () => (await messagesOf(endpoint))[0]?.tries.length === 1, 'an attempt');
    const [message] = await messagesOf(endpoint);
    const wait = new Date(message?.nextAttemptAt ?? 0).getTime() - Date.now();
    expect(wait).toBeGreaterThan(7_000_000);
    expect(wait).toBeLessThan(7_201_000);
  });

  it('an endpoint stops at once after 410, and an admin can enable it without the missed messages', async () => {
    const endpoint = await create();
    receiver.behaviour = answers(410);
    await give(1_000);
    await until(async () => (await read(endpoint)).status === 'disabled', 'the stop');
    expect(await read(endpoint)).toMatchObject({ disabledReason: 'gone', waiting: 0, failed: 1 });
    const open = `SELECT FROM review_item WHERE kind = 'webhook_disabled' AND subject = $1 AND resolved_at IS NULL`;
    expect(await sql(app, open, [endpoint.id])).toHaveLength(1);
    await until(
      () =>
        mail.received.some(
          ({ subject }) => subject === `Webhooks to 127.0.0.1:${receiver.port} were stopped`,
        ),
      'the e-mail to the administrators',
    );
    await give(2_000);
    await untilState(endpoint, 'skipped');
    receiver.behaviour = accepts;
    receiver.received.length = 0;
    await step(endpoint, 'enable', { missed: 'skip' }).expect(200);
    expect(await sql(app, open, [endpoint.id])).toEqual([]);
    await give(3_000);
    await untilReceived(1);
    expect(receiver.received.map(({ body }) => body.data.amount)).toEqual([3_000]);
    await step(endpoint, 'enable', { missed: 'skip' }).expect(409);
  });

  it('an endpoint stops after five days without a delivery, and gets the missed messages when an admin enables it', async () => {
    const endpoint = await create();
    receiver.behaviour = answers(500);
    await give(1_000);
    await untilState(endpoint, 'failed');
    expect((await read(endpoint)).status).toBe('active');
    await sql(app, `UPDATE webhook_endpoint SET failing_since = now() - interval '5 days' WHERE id = $1`, [
      endpoint.id,
    ]);
    await give(2_000);
    await until(async () => (await read(endpoint)).status === 'disabled', 'the stop');
    expect((await read(endpoint)).disabledReason).toBe('failing');
    await give(3_000);
    await untilState(endpoint, 'skipped', 2);
    receiver.behaviour = accepts;
    receiver.received.length = 0;
    await step(endpoint, 'enable', { missed: 'send' }).expect(200);
    await untilState(endpoint, 'delivered', 2);
    expect(receiver.received.map(({ body }) => body.data.amount).sort()).toEqual([2_000, 3_000]);
  });

  it('an endpoint stops after a hundred failures in a row over a day', async () => {
    const endpoint = await create();
    receiver.behaviour = answers(500);
    await sql(
      app,
      `UPDATE webhook_endpoint SET failures = 99, failing_since = now() - interval '24 hours' WHERE id = $1`,
      [endpoint.id],
    );
    await give(1_000);
    await until(async () => (await read(endpoint)).status === 'disabled', 'the stop');
  });

  it('a slow receiver delays only its own messages', async () => {
    const slow = await WebhookReceiver.start();
    slow.behaviour = hangs;
    const hanging = await create({ url: slow.url });
    await create();
    await Promise.all(Array.from({ length: 10 }, () => give(1_000)));
    await untilReceived(10);
    expect(slow.received.length).toBeLessThan(10);
    expect((await read(hanging)).waiting).toBeGreaterThan(0);
    await slow.close();
  });

  it('webhooks are kept for 30 days', async () => {
    const endpoint = await create();
    await give(1_000);
    await untilState(endpoint, 'delivered');
    await sql(app, `UPDATE webhook_message SET created_at = now() - interval '31 days'`);
    await app.app.get(WebhookSender).prune();
    expect(await messagesOf(endpoint)).toEqual([]);
  });

  it('webhooks announce a donation whose refund failed, the second signature of a drawer, and a test', async () => {
    const endpoint = await create();
    const donationId = await payOnline({});
    await untilReceived(1, 'donation.completed');
    await refund(donationId);
    await untilReceived(1, 'donation.refunded');
    const [payment] = await sql<{ payment_id: string }>(
      app,
      'SELECT payment_id FROM donation WHERE id = $1',
      [donationId],
    );
    const [made] = app.sandbox.stripe.refundsOf(payment?.payment_id ?? '');
    app.sandbox.stripe.failRefund(made?.id ?? '');
    await untilReceived(1, 'donation.restored');
    expect(receiver.ofType('donation.restored')[0]?.body.data).toMatchObject({
      id: donationId,
      status: 'COMPLETED',
    });

    const terminal = await enrolTerminal(app, admin.token, 'Table 4');
    const till = as(app, await signInOn(app, terminal, staff.code, event.id));
    const { id } = (await till.post('/shifts', { openingFloat: 0 }).expect(201)).body as { id: string };
    await till.post(`/shifts/${id}/count`, { counts: [] }).expect(200);
    await till.post(`/shifts/${id}/sign`, { code: second.code }).expect(200);
    await untilReceived(1, 'shift.closed');
    expect(receiver.ofType('shift.closed')[0]?.body.data).toMatchObject({
      id,
      eventId: event.id,
      currency: 'eur',
    });

    await step(endpoint, 'test').expect(200);
    expect(receiver.ofType('test.ping')).toHaveLength(1);
  });

  it('each topic of webhooks was sent, and fits its description in asyncapi.json', () => {
    expect(WEBHOOK_TOPICS.filter((topic) => !described.has(topic))).toEqual([]);
  });
});
