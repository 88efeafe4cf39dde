import { afterEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, errorBody } from '../support/bearer.js';
import { adminToken, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { noon, pledgeSchedule, recordPledge, someAddress } from '../support/pledges.js';
import { withEvent, withOpened, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const evening = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  each: true,
});
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });
const schedule = pledgeSchedule(app);
const pledge = (fields: object = {}) => recordPledge(admin, { eventId: event.id, ...fields });
afterEach(async () => {
  await sql(app, "UPDATE event SET status = 'archived'");
});

interface OpenList {
  data: { id: string; reach: string; lastContact: { kind: string; state: string | null } | null }[];
  total: number;
  nextCursor: string | null;
}
const list = async (query = '') =>
  (await admin.get(`/pledges/open?eventId=${event.slug}${query}`).expect(200)).body as OpenList;

describe('GET /pledges/open', () => {
  it('lists the open pledges with the last contact, and the donors without an address', async () => {
    const guest = await admin
      .post(`/events/${event.id}/guests`, { name: 'Mary Jones', table: '12', paddle: '117' })
      .expect(201);
    const to = someAddress();
    const [thanked, reminded, none, paid] = [
      await pledge({ donorEmail: someAddress(), amount: 40_000 }),
      await pledge({ donorEmail: to, amount: 30_000 }),
      await pledge({ amount: 20_000, paddle: '117', donorName: undefined }),
      await pledge({ amount: 10_000 }),
    ];
    await admin.post(`/donations/${paid}/fulfil`, { type: 'cash' }).expect(200);
    expect(guest.body).toMatchObject({ paddle: '117' });
    expect((await list()).data.map(({ lastContact }) => lastContact)).toEqual([null, null, null]);
    await schedule.thankAfter();
    schedule.set(noon(0));
    await admin.post('/pledges/reminders', { donationIds: [reminded] }).expect(202);
    await until(() => mail.to(to).length === 2, 'both e-mails');
    await until(async () => (await list()).data[1]?.lastContact?.state === 'sent', 'the state');
    const { data, total, nextCursor } = await list();
    expect([total, nextCursor]).toEqual([3, null]);
    expect(data).toMatchObject([
      { id: thanked, reach: 'email', lastContact: { kind: 'pledge_thanks', state: 'sent' } },
      { id: reminded, reach: 'email', lastContact: { kind: 'pledge_reminder', state: 'sent' } },
      {
        id: none,
        reach: 'no_address',
        lastContact: null,
        donorName: 'Mary Jones',
        table: '12',
        paddle: '117',
      },
    ]);
    await sql(app, 'INSERT INTO pledge_opt_out (donor_key) SELECT donor_key FROM donation WHERE id = $1', [
      thanked,
    ]);
    expect((await list()).data[0]).toMatchObject({ reach: 'opted_out' });
  });

  it('returns the list in pages, also with equal amounts', async () => {
    for (let index = 0; index < 5; index++) await pledge({ amount: index < 3 ? 100 : 200 });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: OpenList = await list(`&limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.total).toBe(5);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(new Set(seen).size).toBe(5);
    await admin.get(`/pledges/open?eventId=${event.slug}&cursor=x`).expect(400);
    await admin.get(`/pledges/open?eventId=${newId()}`).expect(404);
    await admin.get('/pledges/open').expect(400);
  });

  it('is for admins and accountants', async () => {
    const accountant = as(app, await adminToken(app, 'ACCOUNTANT'));
    await accountant.get(`/pledges/open?eventId=${event.id}`).expect(200);
    await staff.get(`/pledges/open?eventId=${event.id}`).expect(403);
    await staff.post('/pledges/letters', { donationIds: [newId()] }).expect(403);
    await accountant.post('/pledges/letters', { donationIds: [newId()] }).expect(403);
  });
});

describe('GET /pledges/received', () => {
  const received = async () =>
    (await admin.get(`/pledges/received?eventId=${event.id}`).expect(200)).body as {
      afterDays: number;
      data: { currency: string; all: object; old: { share: number | null } }[];
    };
  const aged = (days: number, ...ids: string[]) =>
    sql(app, 'UPDATE donation SET recorded_at = now() - make_interval(days => $1) WHERE id = ANY($2)', [
      days,
      ids,
    ]);
  const payOnline = async (id: string, amount: number) => {
    const { body: link } = await admin.post(`/donations/${id}/payment-link`).expect(201);
    const pledgeToken = new URL((link as { url: string }).url).searchParams.get('pledge');
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount, metadata: { eventId: event.id, pledgeToken } })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    return (body as { donationId: string }).donationId;
  };

  it('an event without pledges has no figure, and without old pledges no share of them', async () => {
    expect(await received()).toEqual({ afterDays: 30, data: [] });
    await pledge({ amount: 10_000 });
    const { data } = await received();
    expect(data).toEqual([
      {
        currency: 'eur',
        all: { pledged: { count: 1, sum: 10_000 }, received: { count: 0, sum: 0 }, share: 0 },
        old: { pledged: { count: 0, sum: 0 }, received: { count: 0, sum: 0 }, share: null },
      },
    ]);
  });

  it('counts money paid at the till and online after refunds, withdrawn pledges as lost, and undone ones not at all', async () => {
    const [till, online, withdrawn, undone, open] = [
      await pledge({ amount: 40_000 }),
      await pledge({ amount: 30_000 }),
      await pledge({ amount: 20_000 }),
      await pledge({ amount: 90_000 }),
      await pledge({ amount: 10_000 }),
    ];
    // A cash donation was no pledge.
    await admin
      .post('/donations', { type: 'cash', amount: 70_000, eventId: event.id })
      .set('Idempotency-Key', newId())
      .expect(201);
    await admin.post(`/donations/${till}/fulfil`, { type: 'cash' }).expect(200);
    const payer = await payOnline(online, 30_000);
    await admin
      .post(`/donations/${payer}/cancel`, { shouldRefund: true, amount: 5_000 })
      .set('Idempotency-Key', newId())
      .expect(200);
    await app.sandbox.settled();
    await admin
      .post(`/donations/${withdrawn}/cancel`, { shouldRefund: false })
      .set('Idempotency-Key', newId())
      .expect(200);
    await admin.post(`/donations/${undone}/undo`).expect(200);
    await aged(31, till, online, withdrawn, undone);
    await aged(29, open);
    const { data } = await received();
    expect(data).toEqual([
      {
        currency: 'eur',
        all: { pledged: { count: 4, sum: 100_000 }, received: { count: 2, sum: 65_000 }, share: 0.65 },
        old: { pledged: { count: 3, sum: 90_000 }, received: { count: 2, sum: 65_000 }, share: 0.7222 },
      },
    ]);
    expect((await admin.get(`/pledges/received?eventId=${newId()}`).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'EVENT_NOT_FOUND'),
    );
  });
});
