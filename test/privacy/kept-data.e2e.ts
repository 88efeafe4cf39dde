import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/data/database.js';
import { pruneKeys } from '../../src/donations/recording/idempotency.js';
import { UnpaidDonors } from '../../src/donations/donors/unpaid-donors.js';
import { as, type DonationBody } from '../support/bearer.js';
import { createStaff, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const DONOR = { donorName: 'Nomen Nescio', donorEmail: 'nomen.nescio@example.org', message: 'Only for you' };
const { app, admin, event } = withEvent({ start: startPaymentsApp });

describe('stored answers of idempotency keys', () => {
  it('stored answers contain no name and no e-mail in plain text, and are returned in full, also to staff', async () => {
    const staff = as(app, (await createStaff(app, admin.token, event.id)).token);
    for (const [caller, key] of [
      [admin, 'sealed-admin'],
      [staff, 'sealed-staff'],
    ] as const) {
      const send = () =>
        caller
          .post('/donations', { amount: 700, type: 'cash', eventId: event.id, ...DONOR })
          .set('Idempotency-Key', key);
      const first = await send().expect(201);
      expect(first.body).toMatchObject({ ...DONOR, currency: 'eur' });
      const [row] = await sql<{ text: string }>(
        app,
        'SELECT k::text AS text FROM idempotency_key k WHERE key = $1',
        [key],
      );
      expect(row?.text).toBeDefined();
      for (const word of ['Nomen', 'nescio', 'Only for you']) expect(row?.text).not.toContain(word);
      expect((await send().expect(201)).body).toEqual(first.body);
    }
  });

  it('an answer stored in plain text by an earlier version is returned too', async () => {
    const body = { amount: 700, type: 'cash', eventId: event.id };
    const first = await admin.post('/donations', body).set('Idempotency-Key', 'from-before').expect(201);
    await sql(app, "UPDATE idempotency_key SET answer = $1 WHERE key = 'from-before'", [
      JSON.stringify(first.body),
    ]);
    const again = await admin.post('/donations', body).set('Idempotency-Key', 'from-before').expect(201);
    expect(again.body).toEqual(first.body);
  });
});

describe('idempotency keys', () => {
  it('idempotency keys are deleted after three days, not before', async () => {
    const body = { amount: 700, type: 'cash', eventId: event.id };
    for (const [key, age] of [
      ['younger-than-three-days', '71 hours'],
      ['older-than-three-days', '73 hours'],
    ]) {
      await admin.post('/donations', body).set('Idempotency-Key', String(key)).expect(201);
      await sql(app, 'UPDATE idempotency_key SET created_at = created_at - $2::interval WHERE key = $1', [
        key,
        age,
      ]);
    }
    await pruneKeys(app.app.get(Database, { strict: false }));
    expect(await sql(app, `SELECT key FROM idempotency_key WHERE key LIKE '%-than-three-days'`)).toEqual([
      { key: 'younger-than-three-days' },
    ]);
  });
});

describe('donors who never paid', () => {
  const intent = async () => {
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 2500, currency: 'eur', metadata: { eventId: event.id, ...DONOR } })
      .expect(201);
    return body as { donationId: string; clientSecret: string };
  };
  const makeOld = (ids: string[]) =>
    sql(app, "UPDATE donation SET created_at = now() - interval '40 days' WHERE id = ANY($1::uuid[])", [ids]);
  const donors = async (id: string) =>
    (
      await sql(app, 'SELECT donor_name, donor_email, message, donor_key FROM donation WHERE id = $1', [id])
    )[0];
  const retain = (days: number | null) =>
    admin.patch('/settings/global', { privacy: { retainUnpaidDays: days } }).expect(200);
  const erase = () => app.app.get(UnpaidDonors).erase();
  const ERASED = { donor_name: null, donor_email: null, message: null, donor_key: null };

  it('unpaid donors are kept without a retention setting', async () => {
    const { donationId } = await intent();
    await makeOld([donationId]);
    expect(await erase()).toBe(0);
    expect(await donors(donationId)).toMatchObject({ donor_name: DONOR.donorName });
  });

  it('unpaid donors are erased after the configured days, with a history entry; paid donors are kept', async () => {
    const [open, fresh, paid] = [await intent(), await intent(), await intent()];
    const pledge = (
      await admin.post('/donations', { amount: 500, type: 'pledge', eventId: event.id, ...DONOR }).expect(201)
    ).body as DonationBody;
    const broken = (
      await admin.post('/donations', { amount: 500, type: 'pledge', eventId: event.id, ...DONOR }).expect(201)
    ).body as DonationBody;
    await admin.post(`/donations/${broken.id}/cancel`, { shouldRefund: false }).expect(200);
    app.sandbox.stripe.pay(paid.clientSecret.split('_secret_')[0] ?? '');
    for (let tries = 0; tries < 200; tries++) {
      const [row] = await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE id = $1', [
        paid.donationId,
      ]);
      if (row?.status === 'COMPLETED') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await makeOld([open.donationId, paid.donationId, pledge.id, broken.id]);
    await retain(30);
    expect(await erase()).toBeGreaterThanOrEqual(2);
    expect(await erase()).toBe(0);
    expect(await donors(open.donationId)).toEqual(ERASED);
    expect(await donors(broken.id)).toEqual(ERASED);
    for (const kept of [fresh.donationId, paid.donationId, pledge.id])
      expect(await donors(kept)).toMatchObject({
        donor_name: DONOR.donorName,
        donor_email: DONOR.donorEmail,
      });
    const { body } = await admin.get(`/donations/${open.donationId}/history`).expect(200);
    expect((body as object[]).at(-1)).toMatchObject({
      from: 'PENDING',
      to: 'PENDING',
      actor: 'system',
      reason: expect.stringContaining('erased'),
    });
    expect(JSON.stringify(body)).not.toContain('Nomen');
  });

  it('a donor with a pledge paid online is kept, and a donor with only an e-mail address is erased', async () => {
    await retain(null);
    const { id } = (
      await admin
        .post('/donations', { amount: 2500, type: 'pledge', eventId: event.id, ...DONOR })
        .expect(201)
    ).body as DonationBody;
    const { url } = (await admin.post(`/donations/${id}/payment-link`).expect(201)).body as { url: string };
    const pledgeToken = new URL(url).searchParams.get('pledge');
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 2500, metadata: { eventId: event.id, pledgeToken } })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    await admin
      .patch(`/events/${event.id}/settings`, { donation: { fields: { address: 'optional' } } })
      .expect(200);
    const metadata = { eventId: event.id, donorAddress: 'Main Street 1' };
    const { body: left } = await app.http
      .post('/donations/intent')
      .send({ amount: 2500, metadata })
      .expect(201);
    const { donationId } = left as { donationId: string };
    await makeOld([id, donationId]);
    await retain(30);
    await erase();
    expect(await donors(id)).toMatchObject({ donor_name: DONOR.donorName, donor_email: DONOR.donorEmail });
    expect(await sql(app, 'SELECT donor_address FROM donation WHERE id = $1', [donationId])).toEqual([
      { donor_address: null },
    ]);
  });

  it('the override of an event extends the retention of its unpaid donors', async () => {
    await retain(null);
    const { donationId } = await intent();
    await makeOld([donationId]);
    expect(await erase()).toBe(0);
    await admin.patch(`/events/${event.id}/settings`, { privacy: { retainUnpaidDays: 39 } }).expect(200);
    expect(await erase()).toBeGreaterThanOrEqual(1);
    expect(await donors(donationId)).toEqual(ERASED);
  });
});
