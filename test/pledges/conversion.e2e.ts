import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { as, type Caller, type DonationBody, type ListBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { captureStatements } from '../support/plans.js';
import { withEvent, withStaff } from '../support/setup.js';

const LEVEL = 50_000;

interface Sum {
  readonly count: number;
  readonly sum: number;
}
type Fates = Readonly<Record<'open' | 'kept' | 'keptAtTill' | 'keptOnline' | 'returned' | 'withdrawn', Sum>>;
type Round = Sum & { readonly id: string; readonly pledges: Fates };
interface Conversion {
  readonly data: Round[];
  readonly totals: (Sum & { readonly currency: string; readonly pledges: Fates })[];
}

const evening = withEvent({ start: startPaymentsApp, each: true });
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });

const call = async (amount = LEVEL): Promise<string> =>
  ((await staff.post('/pledge-rounds', { amount }).expect(201)).body as Round).id;
const pledge = async (roundId: string, amount = LEVEL): Promise<string> =>
  (
    (await staff.post('/donations', { type: 'pledge', amount, roundId, paddle: '7' }).expect(201))
      .body as DonationBody
  ).id;
const pledges = async (roundId: string, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await pledge(roundId));
  return ids;
};
const fulfil = (id: string | undefined, type = 'cash') =>
  staff.post(`/donations/${id}/fulfil`, { type }).expect(200);
const cancel = (id: string | undefined, body: object) =>
  admin.post(`/donations/${id}/cancel`, body).set('Idempotency-Key', randomUUID()).expect(200);

/** Pays a pledge with its payment link. Returns the donation that pays the pledge, and its payment. */
async function payOnline(id: string | undefined) {
  const { body: link } = await staff.post(`/donations/${id}/payment-link`).expect(201);
  const token = new URL((link as { url: string }).url).searchParams.get('pledge');
  const { body } = await app.http
    .post('/donations/intent')
    .send({ amount: LEVEL, metadata: { eventId: event.id, pledgeToken: token } })
    .expect(201);
  const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
  const intent = app.sandbox.stripe.pay(clientSecret);
  await app.sandbox.settled();
  return { donationId, paymentId: intent.id };
}

const conversion = async (eventId = event.id) =>
  (await admin.get(`/pledge-rounds/conversion?eventId=${eventId}`).expect(200)).body as Conversion;
const fates = async () => (await conversion()).data[0]?.pledges;
const listed = async (roundId: string, pledge?: string) =>
  (
    (
      await admin
        .get(`/donations?eventId=${event.id}&roundId=${roundId}${pledge ? `&pledge=${pledge}` : ''}`)
        .expect(200)
    ).body as ListBody
  ).data.map(({ id }) => id);

/** Checks that every sum equals its list, that the parts add up, and that the amounts equal the totals. */
async function expectSound(): Promise<void> {
  const { data, totals } = await conversion();
  for (const { id, count, sum, pledges: now } of data) {
    for (const [fate, figure] of [
      ['open', now.open],
      ['kept_at_till', now.keptAtTill],
      ['kept_online', now.keptOnline],
      ['kept_at_till,kept_online', now.kept],
      ['returned', now.returned],
      ['withdrawn', now.withdrawn],
    ] as const)
      expect([fate, (await listed(id, fate)).length]).toEqual([fate, figure.count]);
    expect(await listed(id)).toHaveLength(count + now.withdrawn.count);
    expect(now.open.count + now.kept.count + now.returned.count).toBe(count);
    expect(now.open.sum + now.kept.sum + now.returned.sum).toBe(sum);
    expect(now.keptAtTill.sum + now.keptOnline.sum).toBe(now.kept.sum);
  }
  expect(await keptTotals(app)).toEqual(await recount(app));
  const raised = (await keptTotals(app)).find(({ eventId }) => eventId === event.id)?.totalRaised ?? '0';
  expect(totals.reduce((sum, one) => sum + one.pledges.kept.sum, 0)).toBe(Number(raised));
}

const none = { count: 0, sum: 0 };
const sum = (count: number, amount = count * LEVEL): Sum => ({ count, sum: amount });

describe('conversion of the pledges of a round', () => {
  it('counts open, kept and withdrawn pledges separately, each with its list', async () => {
    const round = await call();
    const [cash, check, online, undone, cancelled] = await pledges(round, 6);
    await fulfil(cash);
    await fulfil(check, 'check');
    const { donationId } = await payOnline(online);
    await staff.post(`/donations/${undone}/undo`).expect(200);
    await cancel(cancelled, { shouldRefund: false });
    expect(await conversion()).toEqual({
      data: [
        {
          id: round,
          eventId: event.id,
          amount: LEVEL,
          currency: 'eur',
          name: null,
          status: 'open',
          createdAt: expect.any(String),
          closedAt: null,
          ...sum(4),
          pledges: {
            open: sum(1),
            kept: sum(3),
            keptAtTill: sum(2),
            keptOnline: sum(1),
            returned: none,
            withdrawn: sum(2),
          },
        },
      ],
      totals: [{ currency: 'eur', ...sum(4), pledges: expect.objectContaining({ kept: sum(3) }) }],
    });
    expect(await listed(round, 'kept_at_till')).toEqual([check, cash]);
    expect(await listed(round, 'kept_online')).toEqual([online]);
    expect((await listed(round, 'withdrawn')).sort()).toEqual([undone, cancelled].sort());
    // The donation that paid the pledge is not a pledge.
    expect(await listed(round)).not.toContain(donationId);
    await expectSound();
  });

  it('follows the money of kept pledges through partial refunds, full refunds and cancellations', async () => {
    const round = await call();
    const [part, whole, wrong, onlinePart, onlineWhole, onlineWrong] = await pledges(round, 6);
    for (const id of [part, whole, wrong]) await fulfil(id);
    const paid = [await payOnline(onlinePart), await payOnline(onlineWhole), await payOnline(onlineWrong)];
    expect(await fates()).toMatchObject({ kept: sum(6), returned: none });
    for (const id of [part, paid[0]?.donationId]) await cancel(id, { shouldRefund: true, amount: 20_000 });
    await app.sandbox.settled();
    expect(await fates()).toMatchObject({
      keptAtTill: sum(3, 130_000),
      keptOnline: sum(3, 130_000),
      returned: sum(0, 40_000),
    });
    await expectSound();
    for (const id of [whole, paid[1]?.donationId]) await cancel(id, { shouldRefund: true });
    for (const id of [wrong, paid[2]?.donationId]) await cancel(id, { shouldRefund: false });
    await app.sandbox.settled();
    expect(await fates()).toEqual({
      open: none,
      kept: sum(2, 60_000),
      keptAtTill: sum(1, 30_000),
      keptOnline: sum(1, 30_000),
      // One pledge fully refunded at the till, one refunded and one cancelled online, and two partial refunds.
      returned: sum(3, 3 * LEVEL + 40_000),
      withdrawn: sum(1),
    });
    expect((await listed(round, 'returned')).sort()).toEqual([whole, onlineWhole, onlineWrong].sort());
    await expectSound();
  });

  it('counts a disputed pledge as kept, and as refunded once the dispute is lost', async () => {
    const round = await call();
    const { paymentId } = await payOnline(await pledge(round));
    const { stripe } = app.sandbox;
    stripe.openDispute(paymentId, { dueInDays: 5 });
    await app.sandbox.settled();
    expect(await fates()).toMatchObject({ keptOnline: sum(1), returned: none });
    await expectSound();
    app.sandbox.clock.advance(60_000);
    stripe.loseDispute(paymentId);
    await app.sandbox.settled();
    expect(await fates()).toMatchObject({ kept: none, returned: sum(1) });
    await expectSound();
  });

  it('counts a pledge paid at the till and online once, because the second payment is a separate donation', async () => {
    const round = await call();
    const id = await pledge(round);
    const { body: link } = await staff.post(`/donations/${id}/payment-link`).expect(201);
    const token = new URL((link as { url: string }).url).searchParams.get('pledge');
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: LEVEL, metadata: { eventId: event.id, pledgeToken: token } })
      .expect(201);
    await fulfil(id);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    expect(await fates()).toMatchObject({ kept: sum(1), keptAtTill: sum(1), keptOnline: none });
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('one statement returns the levels separately, newest first, with their sum', async () => {
    const [first, second, empty] = [await call(), await call(10_000), await call(5_000)];
    await fulfil(await pledge(first));
    await pledge(second, 10_000);
    await staff.post('/donations', { type: 'pledge', amount: 900 }).expect(201);
    const statements = captureStatements();
    const { data, totals } = await conversion();
    statements.stop();
    expect(data.map(({ id, count }) => [id, count])).toEqual([
      [empty, 0],
      [second, 1],
      [first, 1],
    ]);
    expect(data[0]?.pledges).toEqual({
      ...{ open: none, kept: none, keptAtTill: none, keptOnline: none },
      ...{ returned: none, withdrawn: none },
    });
    expect(totals).toEqual([
      expect.objectContaining({
        ...sum(2, 60_000),
        pledges: expect.objectContaining({ open: sum(1, 10_000), kept: sum(1) }),
      }),
    ]);
    // The relay reads rounds at other times. It reads several rounds at once by their ids.
    const asked = [...statements.sent.keys()].filter((text) => text.includes('FROM pledge_round round'));
    expect(asked.filter((text) => !text.includes('round.id = ANY('))).toHaveLength(1);
    await expectSound();
  });

  it('accountants read the conversion of pledges; staff see only their own records', async () => {
    const round = await call();
    const id = await pledge(round);
    const accountant = as(app, await adminToken(app, 'ACCOUNTANT'));
    expect(
      (await accountant.get(`/pledge-rounds/conversion?eventId=${event.slug}`).expect(200)).body,
    ).toEqual(await conversion());
    await staff.get('/pledge-rounds/conversion').expect(403);
    await app.http.get('/pledge-rounds/conversion').expect(401);
    expect((await admin.get('/pledge-rounds/conversion').expect(400)).body).toMatchObject({
      code: 'EVENT_REQUIRED',
    });
    await admin.get(`/pledge-rounds/conversion?eventId=${randomUUID()}`).expect(404);
    const colleague = as(app, (await createStaff(app, admin.token, event.id)).token);
    const seenBy = async (caller: Caller) =>
      ((await caller.get(`/donations?roundId=${round}&pledge=open`).expect(200)).body as ListBody).data;
    expect((await seenBy(staff)).map((one) => one.id)).toEqual([id]);
    expect(await seenBy(colleague)).toEqual([]);
    await admin.get('/donations?roundId=first').expect(400);
    await admin.get('/donations?pledge=lost').expect(400);
  });

  it('export and totals accept the pledge filter, and an event without a raise has no conversion', async () => {
    const round = await call();
    const [open, kept] = await pledges(round, 2);
    await fulfil(kept);
    await staff.post('/donations', { type: 'cash', amount: 100 }).expect(201);
    const { text } = await admin.get(`/donations/export?roundId=${round}&pledge=open`).expect(200);
    expect(text).toContain(open);
    expect(text).not.toContain(kept);
    const totals = await admin.get(`/donations/totals?roundId=${round}&pledge=kept_at_till`).expect(200);
    expect(totals.body).toMatchObject({ byCurrency: [{ count: 1, inTotals: LEVEL }] });
    expect(await conversion((await createEvent(app, admin.token)).id)).toEqual({ data: [], totals: [] });
  });

  it('finds pledges by their exact paddle', async () => {
    const round = await call();
    const id = await pledge(round);
    await staff
      .post('/donations', { type: 'pledge', amount: LEVEL, roundId: round, paddle: '77' })
      .expect(201);
    const found = async (caller: Caller, paddle: string) =>
      (
        (await caller.get(`/donations?eventId=${event.id}&paddle=${paddle}`).expect(200)).body as ListBody
      ).data.map((one) => one.id);
    expect(await found(admin, '7')).toEqual([id]);
    expect(await found(staff, '7')).toEqual([id]);
    expect(await found(admin, '777')).toEqual([]);
    expect(await found(as(app, (await createStaff(app, admin.token, event.id)).token), '7')).toEqual([]);
    await admin.get('/donations?paddle=1234567890123').expect(400);
  });

  it('an index in list order serves the list of a round', async () => {
    const indexes = await sql<{ name: string }>(
      app,
      `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'donation' AND indexdef LIKE '%(round_id%'`,
    );
    expect(indexes).toEqual([{ name: 'donation_round_id_idx' }]);
  });
});
