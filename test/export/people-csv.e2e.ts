import { beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../money/world.js';
import { insertDonation } from '../support/donation-rows.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { csvObjects, parseCsv } from './parse-csv.js';

const app = withService(startPaymentsApp);
const admin = withAdmin(app);

beforeAll(async () => {
  await admin.patch('/settings/global', { timezone: 'Europe/Berlin' }).expect(200);
});

async function csv(query: string): Promise<string> {
  const { body } = await admin
    .get(`/donations/export?${query}`)
    .buffer(true)
    .responseType('blob')
    .expect(200);
  return (body as Buffer).toString('utf8');
}

describe('the CSV for fundraisers', () => {
  it('the CSV for fundraisers begins with the columns that they use, in local time and with decimals', async () => {
    const event = await createEvent(app, admin.token, { name: '=Gala' });
    const maria = await createStaff(app, admin.token, event.id);
    const id = await insertDonation(app, event.id, {
      amount: 12_345,
      refundedAmount: 45,
      staffId: maria.id,
      staffName: maria.name,
      donorName: '=cmd()',
      message: 'two\nlines',
      completedAt: '2026-10-25T00:30:00Z',
    });
    const text = await csv(`eventId=${event.id}&format=people`);
    expect(parseCsv(text.slice(1))[0]?.slice(0, 6)).toEqual([
      'Date',
      'Time',
      'Donor',
      'E-mail',
      'Amount',
      'Currency',
    ]);
    expect(csvObjects(text.slice(1))).toEqual([
      {
        Date: '2026-10-25',
        Time: '02:30',
        Donor: "'=cmd()",
        'E-mail': 'ada@example.org',
        Amount: '123.45',
        Currency: 'EUR',
        Refunded: '0.45',
        Remaining: '123.00',
        Kind: 'Cash',
        Status: 'Received',
        Event: "'=Gala",
        'Recorded by': 'Maria Lopez',
        'Receipt no.': '',
        Message: 'two\r\nlines',
        Anonymous: 'no',
        Fee: '',
        'Fee currency': '',
        'Payment provider': '',
        'Donation id': id,
        'Payment method': '',
      },
    ]);
  });

  it('the CSV for fundraisers uses the language of the event and supports currencies without decimals', async () => {
    const event = await createEvent(app, admin.token, { currency: 'jpy' });
    await admin
      .patch(`/events/${event.id}/settings`, {
        locales: { default: 'de-AT', supported: ['de-AT'] },
        timezone: 'Asia/Tokyo',
      })
      .expect(200);
    await insertDonation(app, event.id, { amount: 5_000, currency: 'jpy', type: 'check', isAnonymous: true });
    await insertDonation(app, event.id, { amount: 100, currency: 'jpy', type: 'pledge', status: 'PENDING' });
    const [pledge, check] = csvObjects((await csv(`eventId=${event.slug}&format=people`)).slice(1));
    expect(check).toMatchObject({
      Uhrzeit: '21:00',
      Betrag: '5000',
      Art: 'Scheck',
      Status: 'Eingegangen',
      Anonym: 'ja',
    });
    expect(pledge).toMatchObject({ Status: 'Noch nicht bezahlt', Art: 'Zusage' });
  });

  it('the CSV for fundraisers leaves out uncounted amounts, so that the column adds up to the total', async () => {
    const event = await createEvent(app, admin.token);
    for (const status of ['PENDING', 'FAILED', 'CANCELLED', 'REFUNDED', 'COMPLETED'] as const)
      await insertDonation(app, event.id, {
        amount: 5_000,
        status,
        ...(status === 'PENDING' && { type: 'pledge' }),
        ...(status === 'COMPLETED' && { refundedAmount: 1_000 }),
        ...(status === 'REFUNDED' && { refundedAmount: 5_000 }),
      });
    const rows = csvObjects((await csv(`eventId=${event.id}&format=people`)).slice(1));
    expect(rows.map(({ Status, Amount, Remaining }) => [Status, Amount, Remaining]).sort()).toEqual([
      ['Cancelled', '50.00', '0.00'],
      ['Declined', '50.00', '0.00'],
      ['Not paid yet', '50.00', '0.00'],
      ['Received', '50.00', '40.00'],
      ['Refunded', '50.00', '0.00'],
    ]);
  });

  it('the CSV for fundraisers accepts the filters of the list, and the audit records its format', async () => {
    const event = await createEvent(app, admin.token);
    await insertDonation(app, event.id, { amount: 1, type: 'cash' });
    await insertDonation(app, event.id, { amount: 2, type: 'check' });
    expect(
      csvObjects((await csv(`eventId=${event.id}&type=check,other&format=people`)).slice(1)),
    ).toMatchObject([{ Amount: '0.02' }]);
    const [entry] = await sql<{ detail: object }>(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'donations.export' ORDER BY id DESC LIMIT 1",
    );
    expect(entry?.detail).toEqual({ filters: ['eventId', 'type'], format: 'people' });
    await admin.get('/donations/export?format=robots').expect(400);
  });
});

describe('both CSV formats', () => {
  it('both CSV formats contain the provider fee and pending refunds', async () => {
    const world = await World.create(app, admin.token);
    const { donationId, paymentId } = await world.intent('card', 10_000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await sql(app, 'UPDATE donation SET next_check_at = now() WHERE id = $1', [donationId]);
    await world.reconcile();
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'pending' });
    await world.cancel(donationId, { shouldRefund: true, amount: 2_000 });
    const query = `eventId=${world.event.id}`;
    expect(csvObjects((await csv(query)).slice(1))).toMatchObject([
      { id: donationId, refundedAmount: '0', fee: '175', feeCurrency: 'eur', refundPending: '2000' },
    ]);
    const header = parseCsv((await csv(query)).slice(1))[0] ?? [];
    expect(header.join()).toContain(',eventName,fee,feeCurrency,refundPending');
    expect(csvObjects((await csv(`${query}&format=people`)).slice(1))).toMatchObject([
      { Fee: '1.75', 'Fee currency': 'EUR', 'Payment provider': 'stripe' },
    ]);
  });
});
