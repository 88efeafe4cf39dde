import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { type DonationBody, errorBody } from '../support/bearer.js';
import { createEvent, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { zoneAt } from '../support/pledges.js';
import { withEvent, withOpened, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';

interface Reminders {
  readonly queued: number;
  readonly skipped: { readonly donationId: string; readonly code: string }[];
}

const mail = withOpened(() => MailServer.start());
const evening = withEvent({ start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }) });
const { app, admin, event } = evening;
// Reminders wait at night, so it is noon at the events of these tests.
beforeAll(() => admin.patch('/settings/global', { timezone: zoneAt(12) }).expect(200));
const staff = withStaff(evening);

const address = () => `ada-${newId()}@example.org`;
const pledge = async (fields: object = {}, eventId = event.id): Promise<string> =>
  (
    (
      await admin
        .post('/donations', { type: 'pledge', amount: 50_000, eventId, donorName: 'Ada', ...fields })
        .set('Idempotency-Key', randomUUID())
        .expect(201)
    ).body as DonationBody
  ).id;
const remind = async (...donationIds: string[]) =>
  (await admin.post('/pledges/reminders', { donationIds }).expect(202)).body as Reminders;

it('a reminder of a pledge reaches the donor, and its link pays the pledge', async () => {
  const to = address();
  const id = await pledge({ donorEmail: to });
  expect(await remind(id)).toEqual({ queued: 1, skipped: [], waitsUntil: null });
  await until(() => mail.to(to).length === 1, 'the reminder');
  const text = mail.to(to)[0]?.text ?? '';
  expect(text).toContain('Dear Ada,');
  expect(text).toContain('€500.00');
  const [link] = /http\S+\/donate\/\S+\?pledge=\S+/.exec(text) ?? [];
  const token = new URL(link ?? '').searchParams.get('pledge');
  const { body } = await app.http
    .post('/donations/intent')
    .send({ amount: 50_000, metadata: { eventId: event.id, pledgeToken: token } })
    .expect(201);
  app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
  await app.sandbox.settled();
  const { body: audit } = await admin.get('/audit?action=donation.remind').expect(200);
  expect((audit as { data: { subjectId: string }[] }).data.map(({ subjectId }) => subjectId)).toContain(id);
});

it('a pledge gets at most one reminder in 24 hours, also if two admins send reminders at once, and another reminder later', async () => {
  const to = address();
  const id = await pledge({ donorEmail: to });
  const both = await Promise.all([remind(id), remind(id)]);
  expect(both.map(({ queued }) => queued).sort()).toEqual([0, 1]);
  await until(() => mail.to(to).length === 1, 'the reminder');
  expect((await remind(id, id)).skipped).toEqual([
    { donationId: id, code: 'PLEDGE_REMINDED', message: expect.any(String) },
  ]);
  await sql(app, "UPDATE email SET sent_at = now() - interval '25 hours' WHERE donation_id = $1", [id]);
  expect((await remind(id)).queued).toBe(1);
  await until(() => mail.to(to).length === 2, 'the second reminder');
});

it('reminders skip pledges that need no reminder or cannot be paid, each with its reason', async () => {
  const paid = await pledge({ donorEmail: address() });
  await admin.post(`/donations/${paid}/fulfil`, { type: 'cash' }).expect(200);
  const nameless = await pledge();
  const draft = await createEvent(app, admin.token);
  const hidden = await pledge({ donorEmail: address() }, draft.id);
  await sql(app, "UPDATE event SET status = 'archived' WHERE id = $1", [draft.id]);
  const unknown = newId();
  const { queued, skipped } = await remind(paid, nameless, hidden, unknown);
  expect(queued).toBe(0);
  expect(skipped.map(({ donationId, code }) => [donationId, code])).toEqual([
    [paid, 'PLEDGE_NOT_OPEN'],
    [nameless, 'DONOR_EMAIL_MISSING'],
    [hidden, 'EVENT_TAKES_NO_DONATIONS'],
    [unknown, 'DONATION_NOT_FOUND'],
  ]);
});

it('a pledge that was paid before the reminder is sent gets no reminder', async () => {
  const to = address();
  mail.mode = 421;
  const id = await pledge({ donorEmail: to });
  expect((await remind(id)).queued).toBe(1);
  // The next attempt waits until the pledge is paid.
  const again = (when: string) =>
    sql(
      app,
      `UPDATE email SET next_attempt_at = ${when} WHERE donation_id = $1 AND claimed_until IS NULL AND last_error IS NOT NULL RETURNING 1`,
      [id],
    );
  await until(async () => (await again("now() + interval '1 hour'")).length > 0, 'a failed attempt');
  await admin.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);
  mail.mode = 'accept';
  await again('now()');
  await until(
    async () => (await sql(app, 'SELECT 1 FROM email WHERE donation_id = $1', [id])).length === 0,
    'the reminder to be dropped',
  );
  expect(mail.to(to)).toEqual([]);
});

it('only admins send reminders, for 1 to 200 ids', async () => {
  await staff.post('/pledges/reminders', { donationIds: [newId()] }).expect(403);
  for (const donationIds of [[], ['x'], 'x', null, Array.from({ length: 201 }, newId)])
    expect((await admin.post('/pledges/reminders', { donationIds }).expect(400)).body).toEqual(
      errorBody(400, 'Bad Request', 'VALIDATION_FAILED'),
    );
});
