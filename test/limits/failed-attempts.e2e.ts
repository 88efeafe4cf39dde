import { afterEach, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { Client } from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import { ADMIN_PASSWORD, createAdmin, createEvent, createStaff, sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

/** Attempts that fail in the service or at the provider use up no budget. Neither do repeated requests. */

const PLENTY = 1_000_000;
const OF_EMAIL = 3;
const OF_ADDRESS = 5;
const SIGN_INS = 6;
const limits = {
  perMinute: PLENTY,
  authPerMinute: SIGN_INS,
  trustedFactor: 50,
  intentsPerAddress: OF_ADDRESS,
  intentsPerEvent: 20,
  intentsPerEmail: OF_EMAIL,
};
const {
  app,
  admin,
  event: current,
} = withEvent({ start: () => startPaymentsApp({ TRUST_PROXY: '1' }, { limits }), each: true });
afterEach(() => {
  app.sandbox.faults.clear();
});

const away = (operation: string) =>
  app.sandbox.faults.add({ provider: 'paypal', operation, kind: 'error', times: 0 });

let addresses = 0;
const newAddress = () => `40.9.${Math.floor(addresses / 250)}.${(addresses++ % 250) + 1}`;

interface Donor {
  readonly address: string;
  readonly donorEmail?: string;
  readonly event?: string;
}
const newDonor = (): Donor => ({ address: newAddress(), donorEmail: `${newId()}@example.org` });

/** Sends the request at once, and not when the test awaits the result. */
async function start({ address, donorEmail, event = current.id }: Donor, key?: string) {
  const request = app.http.post('/donations/intent').set('X-Forwarded-For', address);
  if (key !== undefined) void request.set('Idempotency-Key', key);
  return await request.send({ amount: 500, method: 'wallet', metadata: { eventId: event, donorEmail } });
}

/** Returns the number of further payments until the budget is used up. */
async function left(donor: Donor): Promise<number> {
  for (let started = 0; ; started += 1) {
    const { status, body } = await start(donor);
    if (status === 201) continue;
    expect(body).toMatchObject({ code: 'TOO_MANY_INTENTS' });
    return started;
  }
}

describe('a payment budget', () => {
  it.each([
    ['with one Idempotency-Key', newId()],
    ['without a key', undefined],
  ])('repeated attempts during a provider outage use up no budget, %s', async (_how, key) => {
    const donor = newDonor();
    away('orders.create');
    for (let attempt = 0; attempt <= OF_EMAIL; attempt += 1) {
      const { status, body } = await start(donor, key);
      expect([status, (body as { code: string }).code]).toEqual([503, 'PROVIDER_UNAVAILABLE']);
    }
    app.sandbox.faults.clear();
    if (key !== undefined) {
      // The first successful attempt uses the budget once. The repeated request does not use it again.
      expect((await start(donor, key)).status).toBe(201);
      expect((await start(donor, key)).status).toBe(201);
    }
    expect(await left(donor)).toBe(key === undefined ? OF_EMAIL : OF_EMAIL - 1);
  });

  it('attempts that fail in our service use up no budget', async () => {
    const donor = newDonor();
    await sql(app, 'ALTER TABLE donation_history RENAME TO donation_history_away');
    try {
      for (let attempt = 0; attempt < 10; attempt += 1) expect((await start(donor)).status).toBe(500);
    } finally {
      await sql(app, 'ALTER TABLE donation_history_away RENAME TO donation_history');
    }
    expect(await left(donor)).toBe(OF_EMAIL);
  });

  it('repeated requests with one key count once, one after the other and at once', async () => {
    const [calm, hasty] = [newDonor(), newDonor()];
    const key = newId();
    const donations = new Set<string>();
    for (let time = 0; time < 10; time += 1) {
      const { status, body } = await start(calm, key);
      expect(status).toBe(201);
      donations.add((body as { donationId: string }).donationId);
    }
    expect(donations.size).toBe(1);
    expect(await left(calm)).toBe(OF_EMAIL - 1);

    const other = newId();
    const answers = await Promise.all(Array.from({ length: 10 }, () => start(hasty, other)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual(
      [],
    );
    expect(await left(hasty)).toBe(OF_EMAIL - 1);
  });

  it('outages do not use up the budget of an address, but payments refused by the provider do', async () => {
    const donor = { address: newAddress() };
    away('orders.create');
    for (let attempt = 0; attempt <= OF_ADDRESS; attempt += 1) expect((await start(donor)).status).toBe(503);
    app.sandbox.faults.clear();
    app.sandbox.faults.add({
      provider: 'paypal',
      operation: 'orders.create',
      kind: 'error',
      status: 422,
      times: 2,
    });
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect((await start(donor)).body).toMatchObject({ code: 'PAYMENT_REFUSED' });
    expect(await left(donor)).toBe(OF_ADDRESS - 2);
  });

  it('payments refused by the budget of the event do not use up the budget of the donor', async () => {
    const event = (await createEvent(app, admin.token)).id;
    // Other donors use up the budget of the event, one payment each.
    for (let other = 0; other < 20; other += 1)
      expect((await start({ address: newAddress(), event })).status).toBe(201);
    const donor = { ...newDonor(), event };
    expect((await start(donor)).status).toBe(201);
    for (let attempt = 0; attempt < 4; attempt += 1) expect((await start(donor)).status).toBe(429);
    // At another event, the donor still has the rest of the budget.
    expect(await left({ ...donor, event: current.id })).toBe(OF_EMAIL - 1);
  });
});

const signIn = async (email: string, address: string, password = ADMIN_PASSWORD) =>
  await app.http.post('/auth/login').set('X-Forwarded-For', address).send({ email, password });
const enter = async (code: string, event: string, address: string) =>
  await app.http.post('/auth/staff/login').set('X-Forwarded-For', address).send({ code, eventId: event });
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

describe('simultaneous sign-ins', () => {
  it('six simultaneous sign-ins with the correct password all succeed', async () => {
    const { email } = await createAdmin(app);
    // With this slow hash, all six sign-ins run at the same time.
    const slow = await bcrypt.hash(ADMIN_PASSWORD, 10);
    await sql(app, 'UPDATE admin SET password_hash = $2 WHERE email = $1', [email, slow]);
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn(email, address)));
    expect(statuses(answers)).toEqual(Array<number>(6).fill(200));
  });

  it('six simultaneous sign-ins with the correct PIN all succeed', async () => {
    const { code } = await createStaff(app, admin.token, current.id);
    const address = newAddress();
    // The test releases the lock when the sign-ins wait for it, so that they run at the same time.
    const lock = new Client({ connectionString: app.databaseUrl });
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE staff_member');
    const answers = Promise.all(Array.from({ length: 6 }, () => enter(code, current.id, address)));
    await untilBlocked(app, 5);
    await lock.end();
    expect(statuses(await answers)).toEqual(Array<number>(6).fill(200));
  });

  it('simultaneous sign-ins with wrong passwords get only five guesses', async () => {
    const { email } = await createAdmin(app);
    const address = newAddress();
    const guesses = Array.from({ length: 6 }, (_, guess) => signIn(email, address, `wrong ${guess}`));
    expect(statuses(await Promise.all(guesses))).toEqual([...Array<number>(5).fill(401), 429]);
  });
});

describe('sign-ins that fail in our service', () => {
  it('failed sign-ins of our service use up neither the free failures nor the sign-ins of a minute', async () => {
    const { email } = await createAdmin(app);
    const { code } = await createStaff(app, admin.token, current.id);
    const [desk, till] = [newAddress(), newAddress()];
    await sql(app, 'ALTER TABLE admin RENAME TO admin_away; ALTER TABLE staff_member RENAME TO staff_away');
    try {
      for (let attempt = 0; attempt < 2 * SIGN_INS; attempt += 1) {
        expect((await signIn(email, desk)).status).toBe(500);
        expect((await enter(code, current.id, till)).status).toBe(500);
      }
    } finally {
      await sql(app, 'ALTER TABLE admin_away RENAME TO admin; ALTER TABLE staff_away RENAME TO staff_member');
    }
    expect((await signIn(email, desk)).status).toBe(200);
    expect((await enter(code, current.id, till)).status).toBe(200);
  });

  it('failures of our service leave the full limit for later sign-ins', async () => {
    const address = newAddress();
    const answers: number[] = [];
    for (let attempt = 0; attempt <= SIGN_INS; attempt += 1)
      answers.push((await signIn(`${newId()}@example.org`, address)).status);
    expect(answers).toEqual([...Array<number>(SIGN_INS).fill(401), 429]);
  });
});

describe('refunds without an answer', () => {
  it('a refund without an answer may be repeated under its key until the provider answers', async () => {
    const { body } = await start(newDonor());
    const { donationId, orderId } = body as { donationId: string; orderId: string };
    app.sandbox.paypal.approve(orderId);
    await app.http.post(`/donations/wallet/${orderId}/capture`).expect(200);
    await app.sandbox.settled();
    away('captures.refund');
    const caller = admin;
    const ask = () =>
      caller
        .post(`/donations/${donationId}/cancel`, { shouldRefund: true, amount: 200 })
        .set('Idempotency-Key', `of ${donationId}`);
    for (let attempt = 0; attempt < 4; attempt += 1) await ask().expect(503);
    app.sandbox.faults.clear();
    expect((await ask().expect(200)).body).toMatchObject({ refundedAmount: 200 });
  });
});
