import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { createEvent, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import {
  emailsOf,
  heldBack,
  noon,
  pledgeSchedule,
  recordPledge,
  someAddress,
  zoneAt,
} from '../support/pledges.js';
import { withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  fields: { name: 'Winter Gala' },
  each: true,
});
const pledge = (fields: object = {}) => recordPledge(admin, { eventId: event.id, ...fields });
const schedule = pledgeSchedule(app);
const arrived = async (to: string, count: number) => {
  await until(() => mail.to(to).length >= count, `e-mail ${count}`);
  return mail.to(to);
};
/** Waits until no e-mail is queued, so that a missing e-mail is really missing. */
const queueIsEmpty = () =>
  until(
    async () => (await sql(app, "SELECT 1 FROM email WHERE state = 'queued'")).length === 0,
    'an empty queue',
  );
const settings = (pledges: object) => admin.patch(`/events/${event.id}/settings`, { pledges }).expect(200);

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Haus am See',
      locales: { default: 'en', supported: ['en', 'de', 'ar'] },
    })
    .expect(200);
});
afterEach(async () => {
  mail.mode = 'accept';
  // The schedule runs for all events, so the pledges of a test must not get e-mails in the next one.
  await sql(app, "UPDATE event SET status = 'archived'");
});

describe('the thanks for a pledge', () => {
  it('reaches the donor a minute after the record, once, with the amount, the event and a link that pays the pledge', async () => {
    const to = someAddress();
    await pledge({ donorEmail: to });
    expect(await schedule.thankAfter(30_000)).toBe(0);
    expect(await schedule.thankAfter()).toBe(1);
    expect(await schedule.thankAfter(90_000)).toBe(0);
    const [received] = await arrived(to, 1);
    expect(received?.subject).toBe('Thank you for your pledge to Haus am See');
    for (const words of ['Dear Ada,', '€500.00', '“Winter Gala”', 'I cannot keep my pledge'])
      expect(received?.text).toContain(words);
    const [link = ''] = /http\S+\/donate\/\S+\?pledge=\S+/.exec(received?.text ?? '') ?? [];
    const token = new URL(link).searchParams.get('pledge');
    await app.http
      .post('/donations/intent')
      .send({ amount: 50_000, metadata: { eventId: event.id, pledgeToken: token } })
      .expect(201);
    await queueIsEmpty();
    expect(mail.to(to)).toHaveLength(1);
  });

  it('is sent at night too, because the donor pledged a minute before', async () => {
    await admin.patch(`/events/${event.id}/settings`, { timezone: zoneAt(23) }).expect(200);
    const to = someAddress();
    await pledge({ donorEmail: to });
    expect(await schedule.thankAfter()).toBe(1);
    await arrived(to, 1);
  });

  it('covers all new pledges of the donor with one button each, and a later pledge gets its own', async () => {
    const to = someAddress();
    await pledge({ donorEmail: to });
    await pledge({ donorEmail: to.replace('ada', 'ADA'), amount: 20_000 });
    expect(await schedule.thankAfter()).toBe(1);
    const [first] = await arrived(to.replace('ada', 'ADA'), 1);
    expect(first?.text).toContain('Thank you for your pledges at “Winter Gala”, €700.00 in total.');
    expect(first?.text).toMatch(/Pay €500\.00:\nhttp[^]*Pay €200\.00:\nhttp/);
    const later = await pledge({ donorEmail: to, amount: 1_000 });
    expect(await schedule.thankAfter()).toBe(1);
    const [second] = await arrived(to, 1);
    expect(second?.text).toContain('your pledge of €10.00');
    expect((await emailsOf(app, later)).map(({ subject }) => subject)).toEqual([`${later}:thanks`]);
  });

  it('is in the language of the donor: of the pledge, or of an earlier donation', async () => {
    const [german, known] = [someAddress(), someAddress()];
    const one = await pledge({ donorEmail: german, donorName: 'Ada' });
    await pledge({ donorEmail: known, donorName: 'أمل' });
    await sql(app, "UPDATE donation SET locale = 'de-DE' WHERE id = $1", [one]);
    await sql(
      app,
      "UPDATE donation SET locale = 'ar' WHERE id = (SELECT max(id::text)::uuid FROM donation WHERE donor_email = $1)",
      [known],
    );
    await pledge({ donorEmail: known, donorName: 'أمل' });
    expect(await schedule.thankAfter()).toBe(2);
    const [first] = await arrived(german, 1);
    expect(first?.subject).toBe('Vielen Dank für Ihre Spendenzusage an Haus am See');
    const [second] = await arrived(known, 1);
    expect(second?.html).toContain('dir="rtl"');
    expect(second?.subject).toBe('شكرًا لتعهدكم بالتبرع إلى Haus am See');
  });

  it('is not sent for a pledge of more than a day before, without an address, or to a donor who was undone', async () => {
    const old = await pledge({ donorEmail: someAddress() });
    await pledge();
    const wrong = await pledge({ donorEmail: someAddress() });
    await admin.post(`/donations/${wrong}/undo`).expect(200);
    expect(await schedule.thankAfter(25 * 3_600_000)).toBe(0);
    expect(await emailsOf(app, old)).toEqual([]);
    expect(await schedule.thankAfter()).toBe(1);
  });
});

describe('reminders of a pledge', () => {
  it('are sent on the days 2, 7 and 21, and the last e-mail on day 35, each once', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    const days: [day: number, count: number][] = [];
    for (let day = 0; day <= 60; day++) {
      const count = await schedule.remindOn(day);
      // The schedule runs often. A second run on the same day sends nothing.
      expect(await schedule.remind()).toBe(0);
      if (count > 0) days.push([day, count]);
      if (count > 0) await arrived(to, days.length);
    }
    expect(days).toEqual([
      [2, 1],
      [7, 1],
      [21, 1],
      [35, 1],
    ]);
    expect((await emailsOf(app, id)).map(({ kind, subject }) => [kind, subject])).toEqual([
      ['pledge_reminder', `${id}:day-2`],
      ['pledge_reminder', `${id}:day-7`],
      ['pledge_reminder', `${id}:day-21`],
      ['pledge_last', `${id}:last`],
    ]);
    const subjects = mail.to(to).map(({ subject }) => subject);
    expect(subjects.slice(0, 3)).toEqual(Array(3).fill('A reminder of your pledge to Haus am See'));
    expect(subjects[3]).toBe('Our last e-mail about your pledge to Haus am See');
    expect(mail.to(to)[3]?.text).toContain('This is our last e-mail about it.');
    expect(mail.to(to)[2]?.text).not.toContain('last e-mail');
  });

  it('follow the days in the settings of the event, and stop if the list is empty', async () => {
    const id = await pledge({ donorEmail: someAddress() });
    await settings({ reminderDays: [10, 3] });
    const sent: number[] = [];
    for (let day = 0; day <= 40; day++) if ((await schedule.remindOn(day)) > 0) sent.push(day);
    expect(sent).toEqual([3, 10, 24]);
    await pledge({ donorEmail: someAddress() });
    await settings({ reminderDays: [] });
    for (let day = 0; day <= 40; day++) expect(await schedule.remindOn(day)).toBe(0);
    expect(await emailsOf(app, id)).toHaveLength(3);
  });

  it('a server that was off sends only the newest step, and no step that is more than three days late', async () => {
    const id = await pledge({ donorEmail: someAddress() });
    expect(await schedule.remindOn(8)).toBe(1);
    expect((await emailsOf(app, id)).map(({ subject }) => subject)).toEqual([`${id}:day-7`]);
    expect(await schedule.remindOn(9)).toBe(0);
    const other = await pledge({ donorEmail: someAddress() });
    expect(await schedule.remindOn(25)).toBe(0);
    expect(await emailsOf(app, other)).toEqual([]);
  });

  it('one e-mail reminds of all open pledges of a donor, also of a pledge after midnight', async () => {
    const to = someAddress();
    const [evening, night, paid] = [
      await pledge({ donorEmail: to }),
      await pledge({ donorEmail: to, amount: 20_000 }),
      await pledge({ donorEmail: to, amount: 3_000 }),
    ];
    const other = someAddress();
    await pledge({ donorEmail: other });
    await sql(app, "UPDATE donation SET created_at = created_at + interval '1 day' WHERE id = $1", [night]);
    await admin.post(`/donations/${paid}/fulfil`, { type: 'cash' }).expect(200);
    expect(await schedule.remindOn(2)).toBe(2);
    expect(await schedule.remindOn(3)).toBe(0);
    const [received] = await arrived(to, 1);
    expect(received?.text).toContain('several pledges at “Winter Gala”, €700.00 in total');
    expect(received?.text).not.toContain('€30.00');
    await arrived(other, 1);
    const steps = await sql(
      app,
      'SELECT pledge_id AS id, step FROM pledge_contact WHERE pledge_id = ANY($1)',
      [[evening, night]],
    );
    expect(steps).toEqual(
      expect.arrayContaining([
        { id: evening, step: 'day-2' },
        { id: night, step: 'day-2' },
      ]),
    );
  });

  it('wait in the quiet hours of the event, in its time zone and in a night with a change of the clocks', async () => {
    const id = await pledge({ donorEmail: someAddress() });
    await admin.patch(`/events/${event.id}/settings`, { timezone: 'America/Los_Angeles' }).expect(200);
    // In the night of 2026-03-08 the clocks of Los Angeles go forward: 08:00 is 16:00 UTC before it and 15:00 UTC after it.
    await sql(app, "UPDATE donation SET id = id, created_at = '2026-03-06T20:00:00Z' WHERE id = $1", [id]);
    const at = async (time: string) => {
      schedule.set(new Date(time));
      // The e-mail of another time would count as sent.
      await sql(app, 'DELETE FROM email WHERE donation_id = $1', [id]);
      await sql(app, 'DELETE FROM pledge_contact WHERE pledge_id = $1', [id]);
      return await schedule.remind();
    };
    expect(await at('2026-03-08T03:59:00Z')).toBe(0); // 19:59 on the day 1.
    expect(await at('2026-03-08T14:59:00Z')).toBe(0); // 07:59 on the day 2.
    expect(await at('2026-03-08T15:00:00Z')).toBe(1); // 08:00 after the change.
    expect(await at('2026-03-09T02:59:00Z')).toBe(1); // 19:59
    expect(await at('2026-03-09T03:00:00Z')).toBe(0); // 20:00
    await admin.patch(`/events/${event.id}/settings`, { timezone: 'Asia/Tokyo' }).expect(200);
    expect(await at('2026-03-09T10:59:00Z')).toBe(1); // 19:59
    expect(await at('2026-03-09T11:00:00Z')).toBe(0); // 20:00
    expect(await at('2026-03-09T23:00:00Z')).toBe(1); // 08:00 of the next day.
  });

  it('a queued reminder that could not be sent before the evening waits for the morning', async () => {
    const to = someAddress();
    mail.mode = 421;
    const id = await pledge({ donorEmail: to });
    schedule.set(new Date(noon(2).getTime() + 7.9 * 3_600_000));
    expect(await schedule.remind()).toBe(1);
    await heldBack(app, id);
    schedule.set(new Date(noon(2).getTime() + 8.5 * 3_600_000));
    mail.mode = 'accept';
    await sql(app, 'UPDATE email SET next_attempt_at = now() WHERE donation_id = $1', [id]);
    const wait = `SELECT extract(epoch FROM next_attempt_at - now()) / 3600 AS hours FROM email WHERE donation_id = $1`;
    const hours = async () => Number((await sql<{ hours: string }>(app, wait, [id]))[0]?.hours);
    await until(async () => (await hours()) > 1, 'the delay until the morning');
    // From 20:30 to 08:00.
    expect(await hours()).toBeCloseTo(11.5, 1);
    expect(mail.to(to)).toEqual([]);
    schedule.set(noon(3));
    await sql(app, 'UPDATE email SET next_attempt_at = now() WHERE donation_id = $1', [id]);
    await arrived(to, 1);
  });

  it('stop for a pledge that was paid or cancelled, an event that was archived or has its e-mails off, and an erased donor', async () => {
    const [paid, cancelled, erased] = [someAddress(), someAddress(), someAddress()];
    const one = await pledge({ donorEmail: paid });
    const two = await pledge({ donorEmail: cancelled });
    await pledge({ donorEmail: erased });
    expect(await schedule.remindOn(2)).toBe(3);
    for (const to of [paid, cancelled, erased]) await arrived(to, 1);
    await admin.post(`/donations/${one}/fulfil`, { type: 'bank_transfer' }).expect(200);
    await admin
      .post(`/donations/${two}/cancel`, { shouldRefund: false })
      .set('Idempotency-Key', newId())
      .expect(200);
    const { body } = await admin.get(`/donors?search=${erased}`).expect(200);
    await admin.delete(`/donors/${(body as { data: { key: string }[] }).data[0]?.key}`).expect(200);
    expect(await schedule.remindOn(7)).toBe(0);
    const off = await pledge({ donorEmail: someAddress() });
    await settings({ emails: false });
    expect(await schedule.remindOn(2)).toBe(0);
    expect(await schedule.thankAfter()).toBe(0);
    await settings({ emails: true });
    await sql(app, "UPDATE event SET status = 'archived' WHERE id = $1", [event.id]);
    expect(await schedule.remindOn(2)).toBe(0);
    expect(await emailsOf(app, off)).toEqual([]);
  });

  it.each([
    ['paid', (id: string) => admin.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200)],
    ['of an event with its e-mails off', () => settings({ emails: false })],
    [
      'of an archived event',
      () => sql(app, "UPDATE event SET status = 'archived' WHERE id = $1", [event.id]),
    ],
  ])('a queued reminder of a pledge is dropped if the pledge is then %s', async (_, stop) => {
    const to = someAddress();
    mail.mode = 421;
    const id = await pledge({ donorEmail: to });
    expect(await schedule.remindOn(2)).toBe(1);
    await heldBack(app, id);
    await stop(id);
    mail.mode = 'accept';
    await sql(app, 'UPDATE email SET next_attempt_at = now() WHERE donation_id = $1', [id]);
    await until(async () => (await emailsOf(app, id)).length === 0, 'the reminder to be dropped');
    expect(mail.to(to)).toEqual([]);
    // The step counts as done, so it is not queued again.
    expect(await schedule.remindOn(2)).toBe(0);
  });

  it('the schedule waits two days after a reminder that an admin requested', async () => {
    const id = await pledge({ donorEmail: someAddress() });
    schedule.set(noon(0));
    await admin.post('/pledges/reminders', { donationIds: [id] }).expect(202);
    expect(await schedule.remindOn(1)).toBe(0);
    await sql(app, "UPDATE pledge_contact SET at = now() + interval '1 day' WHERE pledge_id = $1", [id]);
    expect(await schedule.remindOn(2)).toBe(0);
    expect(await schedule.remindOn(4)).toBe(1);
  });
});

describe('each step of a pledge', () => {
  it('is queued once if two processes plan it at the same time', async () => {
    const id = await pledge({ donorEmail: someAddress() });
    schedule.set(noon(2));
    // Another process has planned the step, and has not committed yet.
    const { Database } = await import('../../src/data/database.js');
    const database = app.app.get(Database);
    let racing: Promise<number> | undefined;
    await database.transaction(async (tx) => {
      const email = newId();
      await tx.query(
        {
          name: 'test_other_email',
          text: `INSERT INTO email (id, kind, subject, donation_id) VALUES ($1, 'pledge_reminder', $2, $3)`,
        },
        [email, `${id}:day-2`, id],
      );
      await tx.query(
        {
          name: 'test_other_contact',
          text: `INSERT INTO pledge_contact (pledge_id, step, email_id) VALUES ($1, 'day-2', $2)`,
        },
        [id, email],
      );
      racing ??= schedule.remind();
      await until(
        async () =>
          (
            await sql(
              app,
              "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT id FROM donation WHERE id = ANY%' AND datname = current_database()",
            )
          ).length > 0,
        'the second process to wait for the first',
      );
    });
    expect(await racing).toBe(0);
    expect(await emailsOf(app, id)).toHaveLength(1);
  });

  it('is left out if an admin requests a reminder of the pledge at the same moment', async () => {
    const id = await pledge({ donorEmail: someAddress() });
    schedule.set(noon(2));
    const { Database } = await import('../../src/data/database.js');
    let racing: Promise<number> | undefined;
    await app.app.get(Database).transaction(async (tx) => {
      await tx.query({ name: 'test_lock', text: 'SELECT 1 AS one FROM donation WHERE id = $1 FOR UPDATE' }, [
        id,
      ]);
      racing ??= schedule.remind();
      await until(
        async () =>
          (
            await sql(
              app,
              "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT id FROM donation WHERE id = ANY%' AND datname = current_database()",
            )
          ).length > 0,
        'the schedule to wait for the request',
      );
      await tx.query(
        {
          name: 'test_asked',
          text: `INSERT INTO pledge_contact (pledge_id, step, at) VALUES ($1, 'asked', $2)`,
        },
        [id, noon(2)],
      );
    });
    expect(await racing).toBe(0);
    expect(await emailsOf(app, id)).toEqual([]);
  });

  it('is not sent again after a process ended while it sent the e-mail; an admin may send it again', async () => {
    const to = someAddress();
    mail.mode = 421;
    const id = await pledge({ donorEmail: to });
    expect(await schedule.remindOn(2)).toBe(1);
    await heldBack(app, id);
    // The process that had claimed the e-mail has ended.
    await sql(
      app,
      "UPDATE email SET claimed_until = now() - interval '1 second', next_attempt_at = now() WHERE donation_id = $1",
      [id],
    );
    mail.mode = 'accept';
    await until(async () => (await emailsOf(app, id))[0]?.state === 'failed', 'the e-mail to be given up');
    expect(mail.to(to)).toEqual([]);
    const { body } = await admin.get('/review-items/open').expect(200);
    expect((body as { data: { donationId: string }[] }).data.map(({ donationId }) => donationId)).toContain(
      id,
    );
    const [row] = await sql<{ id: string }>(app, 'SELECT id FROM email WHERE donation_id = $1', [id]);
    await admin.post(`/emails/${row?.id}/retry`).expect(202);
    await arrived(to, 1);
  });
});

describe('reminders that an admin requests', () => {
  const remind = async (...donationIds: string[]) =>
    (await admin.post('/pledges/reminders', { donationIds }).expect(202)).body as {
      queued: number;
      waitsUntil: string | null;
      skipped: { donationId: string; code: string }[];
    };

  it('one e-mail covers all open pledges of a donor, also those that were not chosen', async () => {
    const to = someAddress();
    const [one, two, three] = [
      await pledge({ donorEmail: to }),
      await pledge({ donorEmail: to }),
      await pledge({ donorEmail: to }),
    ];
    schedule.set(noon(0));
    expect(await remind(one, two)).toEqual({ queued: 2, skipped: [], waitsUntil: null });
    const [received] = await arrived(to, 1);
    expect(received?.text).toContain('€1,500.00 in total');
    expect((await remind(three)).skipped).toMatchObject([{ code: 'PLEDGE_REMINDED' }]);
    await queueIsEmpty();
    expect(mail.to(to)).toHaveLength(1);
  });

  it('two admins who remind of two pledges of a donor at the same time send one e-mail', async () => {
    const to = someAddress();
    const [one, two] = [await pledge({ donorEmail: to }), await pledge({ donorEmail: to })];
    schedule.set(noon(0));
    const both = await Promise.all([remind(one), remind(two)]);
    expect(both.map(({ queued }) => queued).sort()).toEqual([0, 1]);
    await arrived(to, 1);
    await queueIsEmpty();
    expect(mail.to(to)).toHaveLength(1);
  });

  it('wait for the end of the quiet hours', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    schedule.set(new Date(noon(1).getTime() + 10 * 3_600_000));
    expect(await remind(id)).toMatchObject({
      queued: 1,
      waitsUntil: new Date(noon(1).getTime() + 20 * 3_600_000).toISOString(),
    });
    const [row] = await sql<{ hours: string }>(
      app,
      'SELECT extract(epoch FROM next_attempt_at - now()) / 3600 AS hours FROM email WHERE donation_id = $1',
      [id],
    );
    expect(Number(row?.hours)).toBeCloseTo(10, 1);
    expect(mail.to(to)).toEqual([]);
  });

  it('are sent for an event that has its own e-mails off', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    await settings({ emails: false });
    schedule.set(noon(0));
    expect(await remind(id)).toMatchObject({ queued: 1 });
    await arrived(to, 1);
  });
});

it('the settings of the e-mails accept at most five different days from 1 to 120', async () => {
  for (const reminderDays of [[0], [121], [1, 1], [1, 2, 3, 4, 5, 6], [1.5], 'x', [null]])
    await admin.patch('/settings/global', { pledges: { reminderDays } }).expect(400);
  const other = await createEvent(app, admin.token);
  const { body } = await admin.get(`/events/${other.id}/settings`).expect(200);
  expect((body as { pledges: object }).pledges).toEqual({ emails: true, reminderDays: [2, 7, 21] });
});
