import { beforeAll, describe, expect, it } from '@jest/globals';
import { coveringFee, type FeeRate } from '../../src/payments/intents/covered-fee.js';
import { errorBody } from '../support/bearer.js';
import { csvObjects } from '../export/parse-csv.js';
import { pdfText } from '../export/tools.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';
import { itWithTool } from '../support/tools.js';

const { app, admin, event } = withEvent({ start: startPaymentsApp });

beforeAll(async () => {
  await admin
    .patch(`/events/${event.id}/settings`, {
      donation: {
        fields: { address: 'optional', giftAid: true },
        coverFee: { offer: true, basisPoints: 150, fixed: 25 },
      },
    })
    .expect(200);
});

const intent = (metadata: object, amount = 2500) =>
  app.http
    .post('/donations/intent')
    .send({ amount, currency: 'eur', metadata: { eventId: event.id, donorName: 'Ada', ...metadata } });
const row = async (id: string) =>
  (
    await sql(
      app,
      'SELECT amount::int, donor_address, gift_aid, covered_fee::int, locale FROM donation WHERE id = $1',
      [id],
    )
  )[0];

describe('optional questions of an event', () => {
  itWithTool('pdftotext', 'the answers appear on the donation, on its receipt and in the CSV', async () => {
    const donorAddress = 'Main Street 1\nLondon';
    const { body } = await intent(
      { donorAddress, giftAid: true, coveredFee: 64, locale: 'en-GB' },
      2564,
    ).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    expect(await row(donationId)).toEqual({
      amount: 2564,
      donor_address: donorAddress,
      gift_aid: true,
      covered_fee: 64,
      locale: 'en-GB',
    });
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    const { body: list } = await admin.get('/donations').expect(200);
    expect((list as { data: object[] }).data[0]).toMatchObject({
      donorAddress,
      giftAid: true,
      coveredFee: 64,
    });
    const receipt = await admin.get(`/export/receipts/${donationId}`).buffer(true).expect(200);
    const text = await pdfText(receipt.body as Buffer);
    for (const words of ['Main Street 1', 'Gift Aid', 'declaration made']) expect(text).toContain(words);
    const csv = await admin.get('/donations/export').expect(200);
    expect(csvObjects(csv.text.slice(1)).find(({ id }) => id === donationId)).toMatchObject({
      donorAddress: donorAddress.replace('\n', '\r\n'),
      giftAid: 'true',
      coveredFee: '64',
      method: 'card',
      isAmountHidden: 'false',
    });
  });

  it('the server refuses contradictory answers, and saves no answer to a disabled question', async () => {
    const refused = async (metadata: object, code: string) =>
      expect((await intent(metadata).expect(400)).body).toEqual(errorBody(400, 'Bad Request', code));
    await refused({ giftAid: true }, 'GIFT_AID_INCOMPLETE');
    await refused({ coveredFee: 62 }, 'COVERED_FEE_WRONG');
    await refused({ coveredFee: 2500 }, 'COVERED_FEE_WRONG');
    await refused({ coveredFee: 1.5 }, 'VALIDATION_FAILED');
    await refused({ locale: 'de; x' }, 'VALIDATION_FAILED');
    const plain = await createEvent(app, await adminToken(app));
    const { body } = await intent({ eventId: plain.id, donorAddress: 'Main Street 1', giftAid: true }).expect(
      201,
    );
    expect(await row((body as { donationId: string }).donationId)).toMatchObject({
      donor_address: null,
      gift_aid: null,
    });
    await intent({ eventId: plain.id, coveredFee: 64 }, 2564).expect(400);
  });

  it('the donate page shows the questions and works without a script', async () => {
    const { text } = await app.http.get(`/donate/${event.slug}`).expect(200);
    for (const name of ['line1', 'postcode', 'city', 'country', 'giftAid', 'giftAidText', 'coverFee'])
      expect(text).toContain(`name="${name}"`);
    expect(text).toContain('1.5% + €0.25');
    const send = (fields: object) =>
      app.http
        .post(`/donate/${event.slug}`)
        .type('form')
        .send({ key: `k-${Math.random()}`, preset: '2500', name: 'Ada', provider: 'paypal', ...fields });
    const incomplete = await send({ giftAid: 'yes' }).expect(400);
    expect(incomplete.text).toContain('Gift Aid needs your name and your home address.');
    // A page that was opened before the upgrade sends the address as one text.
    await send({ giftAid: 'yes', address: 'Main Street 2', coverFee: 'yes' }).expect(303);
    const [latest] = await sql<{ id: string }>(
      app,
      "SELECT id FROM donation WHERE type = 'wallet' ORDER BY id DESC LIMIT 1",
    );
    expect(await row(latest?.id ?? '')).toEqual({
      amount: 2564,
      donor_address: 'Main Street 2',
      gift_aid: true,
      covered_fee: 64,
      locale: 'en',
    });
  });

  // Yen have no decimals. PayPal accepts only whole forints. In dinars, cards require 0 as the last of three decimals.
  it.each([
    ['jpy', 'card', 2_500],
    ['jpy', 'wallet', 2_500],
    ['huf', 'wallet', 500_000],
    ['twd', 'wallet', 50_000],
    ['kwd', 'card', 12_340],
    ['mga', 'card', 1_000_000],
  ] as const)('the page adds a fee in %s that a donor can pay by %s', async (currency, method, given) => {
    const coverFee = { offer: true, basisPoints: 170, fixed: 23 };
    const { id, slug } = await createEvent(app, await adminToken(app), { currency });
    await admin.patch(`/events/${id}/settings`, { donation: { coverFee } }).expect(200);
    const { text } = await app.http.get(`/donate/${slug}`).expect(200);
    const model = /"fee":(\{[^}]*\})/.exec(text.replaceAll('&quot;', '"'));
    const rate = JSON.parse(model?.[1] ?? 'null') as FeeRate;
    const coveredFee = coveringFee(given, rate);
    const least = coveringFee(given, coverFee);
    expect(coveredFee).toBeGreaterThanOrEqual(least);
    expect(coveredFee).toBeLessThan(least + 100);
    await app.http
      .post('/donations/intent')
      .send({ amount: given + coveredFee, method, metadata: { eventId: id, coveredFee } })
      .expect(201);
    if (method === 'wallet')
      await app.http
        .post(`/donate/${slug}`)
        .type('form')
        .send({ key: `k-${id}`, preset: String(given), provider: 'paypal', coverFee: 'yes' })
        .expect(303);
    // This amount differs from the fee in the settings, which the page uses.
    const wrong = {
      amount: given + coveredFee + 100,
      metadata: { eventId: id, coveredFee: coveredFee + 100 },
    };
    expect((await app.http.post('/donations/intent').send(wrong).expect(400)).body).toMatchObject({
      code: 'COVERED_FEE_WRONG',
    });
  });

  it('the thank-you page has share links and loads nothing from other sites', async () => {
    const { body } = await intent({}).expect(201);
    const { clientSecret, donorToken } = body as { clientSecret: string; donorToken: string };
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    const page = await app.http.get(`/donate/${event.slug}/thanks?donation=${donorToken}`).expect(200);
    const begins = page.text.indexOf('id="share"');
    const share = page.text.slice(begins, page.text.indexOf('</section>', begins));
    expect(share).toContain('https://wa.me/?text=');
    expect(share).not.toContain(donorToken);
    expect(share).not.toMatch(/<(script|img|iframe)/);
    const loaded = [
      ...page.text.matchAll(/<(?:script|img|iframe|link)[^>]*?\b(?:src|href)="(https?:[^"]+)"/g),
    ];
    expect(loaded.map(([, address]) => address).filter((address) => !address?.startsWith(app.url))).toEqual(
      [],
    );
    expect(page.headers['content-security-policy']).not.toMatch(/facebook|wa\.me/);
  });
});
