import { describe, expect, it } from '@jest/globals';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({ start: startPaymentsApp });

interface Opened {
  readonly clientSecret: string;
  readonly orderId: string;
  readonly donationId: string;
  readonly donorToken: string;
}
const PAYER = { wallet: 'google_pay', name: 'Dora Donor', email: 'dora@example.org' } as const;

const open = async (method: 'card' | 'wallet', metadata: object = {}): Promise<Opened> => {
  const body = { amount: 2500, currency: 'eur', method, metadata: { eventId: event.id, ...metadata } };
  return (await app.http.post('/donations/intent').send(body).expect(201)).body as Opened;
};
const payByPayPal = async (metadata: object = {}) => {
  const opened = await open('wallet', metadata);
  app.sandbox.paypal.approve(opened.orderId);
  await app.http.post(`/donations/wallet/${opened.orderId}/capture`).expect(200);
  await app.sandbox.settled();
  return opened;
};
const payByGooglePay = async (metadata: object = {}) => {
  const opened = await open('card', metadata);
  app.sandbox.stripe.pay(opened.clientSecret, { payer: PAYER });
  await app.sandbox.settled();
  return opened;
};
const donor = async ({ donationId }: Opened) =>
  (
    await sql(
      app,
      `SELECT donor_name AS name, donor_email AS email, is_anonymous AS anonymous, donor_key IS NOT NULL AS counted
       FROM donation WHERE id = $1 AND status = 'COMPLETED'`,
      [donationId],
    )
  )[0];
const thanksOf = async ({ donorToken }: Opened) =>
  (await app.http.get(`/donate/${event.slug}/thanks?donation=${donorToken}`).expect(200)).text;
const ask = (fields: object) =>
  admin.patch(`/events/${event.id}/settings`, { donation: { fields } }).expect(200);

describe('name and e-mail address of a wallet', () => {
  it('name and e-mail of a PayPal payer are kept for the receipt, and the public sees an anonymous donation', async () => {
    const paid = await payByPayPal();
    const email = expect.stringMatching(/^dora\.donor\..+@example\.com$/);
    expect(await donor(paid)).toEqual({ name: 'Dora Donor', email, anonymous: true, counted: true });
    const page = await thanksOf(paid);
    expect(page).toContain('Your donation is on the donation wall as “Anonymous”.');
    expect(page).not.toMatch(/Dora|name="email"/);
    const { body } = await admin.get(`/donations/${paid.donationId}/history`).expect(200);
    expect(body).toContainEqual(
      expect.objectContaining({ to: 'COMPLETED', actor: 'provider', fields: ['donorName', 'donorEmail'] }),
    );
  });

  it('name and e-mail of a Stripe wallet are read on the thank-you page, because the webhook event does not contain them', async () => {
    const paid = await payByGooglePay();
    expect(await donor(paid)).toEqual({ name: null, email: null, anonymous: true, counted: false });
    expect(await thanksOf(paid)).not.toMatch(/Dora|dora@|name="email"/);
    expect(await donor(paid)).toEqual({
      name: PAYER.name,
      email: PAYER.email,
      anonymous: true,
      counted: true,
    });
  });

  it('name and e-mail of a payer complete typed data, and never replace it', async () => {
    const paid = await payByGooglePay({ donorName: 'Ada' });
    await thanksOf(paid);
    expect(await donor(paid)).toMatchObject({ name: 'Ada', email: PAYER.email, anonymous: false });
    const typed = { donorName: 'Ada', donorEmail: 'ada@example.net' };
    expect(await donor(await payByPayPal(typed))).toMatchObject({ name: 'Ada', email: 'ada@example.net' });
  });

  it('name and e-mail of a payer are not kept for an event that does not ask for them', async () => {
    await ask({ donorName: 'hidden', donorEmail: 'hidden' });
    const paid = await payByPayPal();
    expect(await donor(paid)).toEqual({ name: null, email: null, anonymous: true, counted: false });
    await ask({ donorName: 'optional', donorEmail: 'optional' });
  });

  it('name and e-mail of a payer are not kept for a payment by plain card, whose form asks for them only for the bank', async () => {
    const opened = await open('card');
    app.sandbox.stripe.pay(opened.clientSecret);
    await app.sandbox.settled();
    expect(await thanksOf(opened)).toContain('name="email"');
    expect(await donor(opened)).toMatchObject({ name: null, email: null });
  });

  it('name and e-mail of a payer are not restored after the donor was erased', async () => {
    const paid = await payByGooglePay();
    await thanksOf(paid);
    const [row] = await sql<{ key: string }>(
      app,
      "SELECT encode(donor_key, 'hex') AS key FROM donation WHERE id = $1",
      [paid.donationId],
    );
    await admin.delete(`/donors/${row?.key ?? ''}`).expect(200);
    await thanksOf(paid);
    expect(await donor(paid)).toMatchObject({ name: null, email: null });
    const rest = await sql(
      app,
      "SELECT 1 FROM donation WHERE donor_email = $1 OR donor_name = 'Dora Donor' AND id = $2",
      [PAYER.email, paid.donationId],
    );
    expect(rest).toEqual([]);
  });
});
