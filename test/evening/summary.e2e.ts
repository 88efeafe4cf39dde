import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { parseCsv } from '../export/parse-csv.js';
import { onFile, pdfText } from '../export/tools.js';
import { World } from '../money/world.js';
import { as } from '../support/bearer.js';
import { insertDonation } from '../support/donation-rows.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { describeWithTool, itWithTool } from '../support/tools.js';

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
let world: World;

beforeAll(async () => {
  await admin
    .patch('/settings/global', { organization: 'Harbour Fund', timezone: 'Europe/Berlin' })
    .expect(200);
  world = await World.create(app, admin.token);
});

/** Title of the ledger in the CSV file. */
const LEDGER = 'Received, refunded and total';

const summary = async (eventId = world.event.id) =>
  (await admin.get(`/events/${eventId}/summary`).expect(200)).body;
const file = async (format: string, eventId = world.event.id) =>
  await admin
    .get(`/events/${eventId}/summary?format=${format}`)
    .buffer(true)
    .responseType('blob')
    .expect(200);

describe('GET /events/:id/summary', () => {
  it('the summary adds up types, donors, hours, online and on-site donations, fees, refunds, disputes and payouts', async () => {
    const maria = await createStaff(app, admin.token, world.event.id, '=Maria');
    const record = (body: object) =>
      as(app, maria.token)
        .post('/donations', { type: 'cash', ...body })
        .expect(201);
    await record({ amount: 2_000 });
    await record({ amount: 3_000, type: 'check' });
    const card = await world.intent('card', 10_000, 'ada@example.org');
    const part = await world.intent('card', 4_000);
    const dollars = await world.intent('card', 700, null, 'usd');
    const wallet = await world.intent('wallet', 2_500);
    for (const { paymentId } of [card, part, dollars]) app.sandbox.stripe.pay(paymentId);
    app.sandbox.paypal.approve(wallet.paymentId);
    await world.deliverAll(Math.random);
    await world.cancel(part.donationId, { shouldRefund: true, amount: 1_000 });
    await world.deliverAll(Math.random);
    app.sandbox.stripe.payOut();
    await world.reconcile();
    // The provider reports fees only when the server reads the payment again.
    await sql(app, 'UPDATE donation SET next_check_at = now() WHERE paid_at IS NOT NULL');
    await world.reconcile();

    const { event, currencies, payouts, timezone } = await summary();
    const { known, unknown } = currencies[1].fees as { known: number; unknown: number };
    expect({ id: event.id, timezone }).toEqual({ id: world.event.id, timezone: 'Europe/Berlin' });
    expect(currencies.map(({ currency }: { currency: string }) => currency)).toEqual(['eur', 'usd']);
    const [eur, usd] = currencies;
    const sum = (count: number, amount: number, refunded = 0) => ({
      count,
      amount,
      refunded,
      net: amount - refunded,
    });
    expect(eur.byType).toEqual([
      {
        type: 'card',
        ...sum(2, 14_000, 1_000),
        methods: [{ method: 'card', wallet: null, ...sum(2, 14_000, 1_000) }],
      },
      { type: 'check', ...sum(1, 3_000), methods: [] },
      {
        type: 'wallet',
        ...sum(1, 2_500),
        methods: [{ method: 'paypal', wallet: null, ...sum(1, 2_500) }],
      },
      { type: 'cash', ...sum(1, 2_000), methods: [] },
    ]);
    expect(eur.byStaff).toEqual([
      { staffId: null, staffName: null, ...sum(3, 16_500, 1_000) },
      { staffId: maria.id, staffName: '=Maria', ...sum(2, 5_000) },
    ]);
    expect(eur.online).toEqual(sum(3, 16_500, 1_000));
    expect(eur.offline).toEqual(sum(2, 5_000));
    expect(eur.byHour.reduce((all: number, one: { net: number }) => all + one.net, 0)).toBe(20_500);
    expect(eur.byHour[0].local).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\+0[12]:00$/);
    expect(eur.net).toBe(20_500);
    expect(eur.explained.total).toBe(20_500);
    // Stripe takes 1.5 % and 25 cents. PayPal reports the fee that it took.
    expect(eur.fees).toMatchObject({ known: 3, unknown: 0, amount: expect.any(Number) });
    expect(eur.fees.amount).toBeGreaterThanOrEqual(175 + 85);
    expect(eur.refunds).toEqual({ count: 1, amount: 1_000, pending: 0 });
    expect(usd.net).toBe(700);
    expect(known + unknown).toBe(1);
    expect(payouts.data).toMatchObject([{ provider: 'stripe', currency: 'eur', difference: 0 }]);
    expect(payouts.unknown).toContainEqual({ provider: 'paypal', reason: 'not_told' });
  }, 30_000);

  it('the summary is also available as CSV, and spreadsheets run no formula in it', async () => {
    const response = await file('csv');
    expect(response.headers['content-type']).toMatch(/^text\/csv/);
    expect(response.headers['content-disposition']).toMatch(/summary-[\w-]+\.csv/);
    const text = (response.body as Buffer).toString('utf8');
    expect(text.startsWith('\uFEFF')).toBe(true);
    const records = parseCsv(text.slice(1));
    expect(records[0]).toEqual(['Currency', 'Part', 'Name', 'Number', 'Received', 'Refunded', 'Remaining']);
    expect(records).toContainEqual(['eur', 'By person', "'=Maria", '2', '50.00', '0.00', '50.00']);
    expect(records).toContainEqual(['eur', 'By kind', 'Card, online', '2', '140.00', '10.00', '130.00']);
    // A negative number stays a number, without the apostrophe of a text.
    expect(records).toContainEqual([
      'eur',
      'How the total is calculated',
      'Refunded: Card, online',
      '1',
      '',
      '',
      '-10.00',
    ]);
    const { rows } = { rows: await sql(app, "SELECT 1 FROM audit_entry WHERE action = 'summary.export'") };
    expect(rows).toHaveLength(1);
  });

  itWithTool(
    'pdftotext',
    'the summary compares the cash of each shift with its newest count, and knows nothing before a count',
    async () => {
      const event = await createEvent(app, admin.token);
      const [maria, jonas] = [
        as(app, (await createStaff(app, admin.token, event.id, 'Maria')).token),
        as(app, (await createStaff(app, admin.token, event.id, 'Jonas')).token),
      ];
      const shift = async (staff: typeof maria) =>
        ((await staff.post('/shifts', { openingFloat: 1_000 }).expect(201)).body as { id: string }).id;
      const [counted, open] = [await shift(maria), await shift(jonas)];
      await maria.post('/donations', { type: 'cash', amount: 2_000 }).expect(201);
      const found = (quantity: number) => ({ counts: [{ denomination: 500, quantity }] });
      await maria.post(`/shifts/${counted}/count`, found(4)).expect(200);
      await maria.post(`/shifts/${counted}/recount`, found(5)).expect(200);
      expect((await summary(event.id)).cash).toMatchObject([
        { shiftId: counted, staffName: 'Maria', expected: 3_000, counted: 2_500, difference: -500 },
        { shiftId: open, staffName: 'Jonas', expected: null, counted: null, difference: null },
      ]);
      const records = parseCsv(((await file('csv', event.id)).body as Buffer).toString('utf8').slice(1));
      const cash = records
        .filter(([, part]) => part === 'Cash by shift')
        .map(([, , name, , , , amount]) => [name?.replace(/, [^:]*:\d\d/, ''), amount]);
      expect(cash).toEqual([
        ['Maria: Expected', '30.00'],
        ['Maria: Counted', '25.00'],
        ['Maria: Difference', '-5.00'],
        ['Jonas: not counted yet: Expected', ''],
        ['Jonas: not counted yet: Counted', ''],
        ['Jonas: not counted yet: Difference', ''],
      ]);
      const pdf = (await pdfText((await file('pdf', event.id)).body as Buffer)).replace(/\s+/g, ' ');
      expect(pdf).toMatch(/Expected Counted Difference €30\.00 €25\.00 -€5\.00/);
      expect(pdf).not.toContain('{provider}');
      expect(pdf).toMatch(/Cash by shift Maria, [^€]*Jonas, [^€]*not counted yet/);
    },
  );

  it('the summary shows the pledges of a paddle raise and their payments by level', async () => {
    const event = await createEvent(app, admin.token);
    const staff = as(app, (await createStaff(app, admin.token, event.id)).token);
    const call = async (amount: number, name?: string) =>
      ((await staff.post('/pledge-rounds', { amount, name }).expect(201)).body as { id: string }).id;
    const pledge = async (roundId: string, amount: number) =>
      (
        (await staff.post('/donations', { type: 'pledge', amount, roundId }).expect(201)).body as {
          id: string;
        }
      ).id;
    const large = await call(100_000, '=A new minibus');
    const small = await call(5_000);
    const kept = await pledge(large, 100_000);
    await pledge(large, 100_000);
    await pledge(small, 5_000);
    await staff.post(`/donations/${kept}/fulfil`, { type: 'check' }).expect(200);
    await admin
      .post(`/donations/${kept}/cancel`, { shouldRefund: true, amount: 25_000 })
      .set('Idempotency-Key', kept)
      .expect(200);
    const { pledgeRounds, currencies } = await summary(event.id);
    expect(pledgeRounds.data.map(({ id }: { id: string }) => id)).toEqual([small, large]);
    expect(pledgeRounds.totals).toMatchObject([
      {
        ...{ currency: 'eur', count: 3, sum: 205_000 },
        pledges: { open: { count: 2, sum: 105_000 }, keptAtTill: { count: 1, sum: 75_000 } },
      },
    ]);
    expect(currencies[0].net).toBe(75_000);
    const records = parseCsv(((await file('csv', event.id)).body as Buffer).toString('utf8').slice(1));
    const line = (name: string, count: string, amount: string) => [
      ...['eur', 'Paddle raise', name, count, '', ''],
      amount,
    ];
    expect(records.filter(([, part]) => part === 'Paddle raise')).toEqual([
      line('€1,000.00 =A new minibus: Pledged *', '2', '2000.00'),
      line('€1,000.00 =A new minibus: Paid at the till', '1', '750.00'),
      line('€1,000.00 =A new minibus: Pledged, not paid *', '1', '1000.00'),
      line('€1,000.00 =A new minibus: Refunded *', '0', '250.00'),
      line('€50.00: Pledged *', '1', '50.00'),
      line('€50.00: Pledged, not paid *', '1', '50.00'),
    ]);
    expect((await file('pdf', event.id)).headers['content-type']).toBe('application/pdf');
  });

  it('the ledger of a summary adds up: received less refunds is the total, less fees is the amount at the bank', async () => {
    const other = await World.create(app, admin.token);
    const record = async (type: string, amount: number) =>
      (await admin.post('/donations', { eventId: other.event.id, type, amount }).expect(201)).body
        .id as string;
    const refund = (id: string, body: object) =>
      admin
        .post(`/donations/${id}/cancel`, { shouldRefund: true, ...body })
        .set('Idempotency-Key', newId())
        .expect(200);
    await record('cash', 10_000);
    await refund(await record('check', 5_000), { amount: 2_000 });
    await refund(await record('cash', 3_000), {});
    await record('pledge', 7_000);
    const card = await other.intent('card', 4_000);
    app.sandbox.stripe.pay(card.paymentId);
    await other.deliverAll(Math.random);
    const ledger = async () => (await summary(other.event.id)).currencies[0].explained.ledger;
    const sums = {
      received: { count: 4, amount: 22_000 },
      refunded: { count: 2, amount: 5_000 },
      lost: { count: 0, amount: 0 },
      total: 17_000,
      disputeFees: { count: 0, amount: 0 },
      feesElsewhere: 0,
      pledged: { count: 1, amount: 7_000 },
    };
    await sql(app, 'UPDATE donation SET fee = NULL, fee_currency = NULL WHERE id = $1', [card.donationId]);
    expect(await ledger()).toEqual({ ...sums, fees: { count: 0, amount: 0 }, feesUnknown: 1, bank: null });
    // If the fee is unknown, the file never shows zero.
    const unknown = parseCsv(((await file('csv', other.event.id)).body as Buffer).toString('utf8').slice(1));
    expect(unknown).toContainEqual(['eur', LEDGER, 'Fees not known yet', '1', '', '', '']);
    expect(unknown).toContainEqual(['eur', LEDGER, 'Net at the bank, at most', '', '', '', '170.00']);

    await sql(app, "UPDATE donation SET fee = 85, fee_currency = 'usd' WHERE id = $1", [card.donationId]);
    expect(await ledger()).toMatchObject({
      fees: { count: 0 },
      feesUnknown: 0,
      feesElsewhere: 1,
      bank: null,
    });

    await sql(app, "UPDATE donation SET fee = 85, fee_currency = 'eur' WHERE id = $1", [card.donationId]);
    const known = { ...sums, fees: { count: 1, amount: 85 }, feesUnknown: 0, bank: 16_915 };
    expect(await ledger()).toEqual(known);
    const { body } = await admin.get(`/events/${other.event.id}/explain-total`).expect(200);
    expect(body.ledger).toEqual(known);
    const records = parseCsv(((await file('csv', other.event.id)).body as Buffer).toString('utf8').slice(1));
    expect(
      records
        .filter(([, part]) => part === LEDGER)
        .map(([, , name, count, , , amount]) => [name, count, amount]),
    ).toEqual([
      ['Received', '4', '220.00'],
      ['Refunded', '2', '-50.00'],
      ['Total', '', '170.00'],
      ['Provider fees', '1', '-0.85'],
      ['Net at the bank', '', '169.15'],
      ['Pledged, not paid *', '1', '70.00'],
    ]);
    // All kinds together have the same sums as the ledger. Donations refunded in full have their own line there.
    const kinds = records.filter(([, part]) => part === 'By kind');
    const add = (column: number) => kinds.reduce((sum, row) => sum + Number(row[column]), 0);
    expect([add(4), add(5), add(6)]).toEqual([220, 50, 170]);
  });

  it('the summary answers 404 for an unknown event, 400 for an unknown format, and 403 to staff', async () => {
    await admin.get('/events/no-such-event/summary').expect(404);
    await admin.get(`/events/${world.event.id}/summary?format=xml`).expect(400);
    const staff = await createStaff(app, admin.token, world.event.id);
    await as(app, staff.token).get(`/events/${world.event.id}/summary`).expect(403);
  });

  it('the summary of an event without donations has no lines, and its PDF opens', async () => {
    const empty = await createEvent(app, admin.token);
    expect((await summary(empty.id)).currencies).toMatchObject([
      { currency: 'eur', net: 0, byType: [], byHour: [] },
    ]);
    expect((await file('pdf', empty.id)).headers['content-type']).toBe('application/pdf');
  });

  it('the summary lists the hour from 2:00 to 3:00 twice in the night when summer time ends', async () => {
    const night = await createEvent(app, admin.token);
    const at = (completedAt: string) => insertDonation(app, night.id, { amount: 100, completedAt });
    for (const time of [
      '2026-10-24T23:59:59Z',
      '2026-10-25T00:10:00Z',
      '2026-10-25T00:59:59Z',
      '2026-10-25T01:10:00Z',
    ])
      await at(time);
    const [{ byHour }] = (await summary(night.id)).currencies;
    expect(byHour.map(({ local, count }: { local: string; count: number }) => [local, count])).toEqual([
      ['2026-10-25T01:00:00+02:00', 1],
      ['2026-10-25T02:00:00+02:00', 2],
      ['2026-10-25T02:00:00+01:00', 1],
    ]);
    const spring = await createEvent(app, admin.token);
    for (const completedAt of ['2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z'])
      await insertDonation(app, spring.id, { amount: 100, completedAt });
    const [{ byHour: hours }] = (await summary(spring.id)).currencies;
    expect(hours.map(({ local }: { local: string }) => local)).toEqual([
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
    ]);
    // In a time zone with a half-hour offset, the hours of the summary are full hours of local time.
    await admin.patch(`/events/${spring.id}/settings`, { timezone: 'Asia/Kolkata' }).expect(200);
    const [{ byHour: indian }] = (await summary(spring.id)).currencies;
    expect(indian.map(({ local }: { local: string }) => local)).toEqual([
      '2026-03-29T06:00:00+05:30',
      '2026-03-29T07:00:00+05:30',
    ]);
  });
});

describeWithTool('qpdf', 'the summary as PDF', () => {
  itWithTool('pdftotext', 'the summary PDF is valid and contains the figures as text', async () => {
    const pdf = (await file('pdf')).body as Buffer;
    await onFile('qpdf', ['--check', '{}'], pdf);
    const text = await pdfText(pdf);
    for (const words of [
      'Summary',
      'Harbour Fund',
      'Total after refunds',
      '€205.00',
      'By kind',
      '=Maria',
      'paypal does not report payouts here. See the dashboard of paypal.',
    ])
      expect(text).toContain(words);
  });

  itWithTool(
    'pdftotext',
    'the summary PDF is in the language of the event and may have several pages',
    async () => {
      const event = await createEvent(app, admin.token, { name: 'Gala für Zoë' });
      await admin
        .patch(`/events/${event.id}/settings`, { locales: { default: 'de', supported: ['de'] } })
        .expect(200);
      for (let index = 0; index < 60; index++) {
        const member = await createStaff(app, admin.token, event.id, `Helfer ${index}`);
        await insertDonation(app, event.id, {
          amount: 1_000 + index,
          staffId: member.id,
          staffName: member.name,
        });
      }
      const pdf = (await file('pdf', event.id)).body as Buffer;
      await onFile('qpdf', ['--check', '{}'], pdf);
      const text = await pdfText(pdf);
      expect(text).toContain('Zusammenfassung');
      expect(text).toContain('Nach Person');
      for (const index of [0, 30, 59]) expect(text).toContain(`Helfer ${index}`);
      expect(Number((await onFile('qpdf', ['--show-npages', '{}'], pdf)).trim())).toBeGreaterThan(1);
    },
    60_000,
  );
});
