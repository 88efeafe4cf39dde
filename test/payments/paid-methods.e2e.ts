import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../src/data/database.js';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import type { PaidFact } from '../../src/payments/providers/provider-port.js';
import { pdfText } from '../export/tools.js';
import { csvObjects } from '../export/parse-csv.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withMade } from '../support/setup.js';
import { describeWithTool } from '../support/tools.js';

const { app, admin, event } = withEvent({ start: startPaymentsApp });
const swiss = withMade(() => createEvent(app, admin.token, { currency: 'chf' }), beforeAll);
const swedish = withMade(() => createEvent(app, admin.token, { currency: 'sek' }), beforeAll);
const british = withMade(() => createEvent(app, admin.token, { currency: 'gbp' }), beforeAll);
const EVENTS: Readonly<Record<string, EventFixture>> = {
  eur: event,
  chf: swiss,
  sek: swedish,
  gbp: british,
};

interface Opened {
  readonly clientSecret: string;
  readonly orderId: string;
  readonly donationId: string;
  readonly donorToken: string;
}
interface Play {
  readonly method?: string;
  readonly wallet?: 'apple_pay' | 'google_pay' | 'link';
  /** True if the bank answers later. */
  readonly slow?: boolean;
}

const at = (currency: string): EventFixture => EVENTS[currency] ?? event;
const open = async (currency = 'eur', method = 'card', metadata: object = {}): Promise<Opened> => {
  const body = { amount: 2500, currency, method, metadata: { eventId: at(currency).id, ...metadata } };
  return (await app.http.post('/donations/intent').send(body).expect(201)).body as Opened;
};
/** Makes a payment of a donor in the sandbox, with this method and wallet. */
async function paid({ method, wallet, slow = false }: Play, currency = 'eur', metadata: object = {}) {
  const opened = await open(currency, 'card', metadata);
  if (slow) {
    app.sandbox.stripe.process(opened.clientSecret, { ...(method !== undefined && { method }) });
    app.sandbox.stripe.pay(opened.clientSecret);
  } else
    app.sandbox.stripe.pay(opened.clientSecret, {
      ...(method !== undefined && { method }),
      ...(wallet && { wallet }),
    });
  await app.sandbox.settled();
  return opened;
}
const stored = async ({ donationId }: Pick<Opened, 'donationId'>) =>
  (
    await sql<{ status: string; type: string; method: string | null; wallet: string | null }>(
      app,
      'SELECT status::text, type::text, method, wallet FROM donation WHERE id = $1',
      [donationId],
    )
  )[0];
const thanks = ({ donorToken }: Opened, currency = 'eur') =>
  app.http.get(`/donate/${at(currency).slug}/thanks?donation=${donorToken}`).expect(200);
const receiptOf = async ({ donationId }: Opened) => {
  const { body } = await admin.get(`/export/receipts/${donationId}`).buffer(true).expect(200);
  return (await pdfText(body as Buffer)).replace(/\s+/g, ' ');
};

const PLAYED: readonly (readonly [shown: string, currency: string, play: Play])[] = [
  ['Card, online', 'eur', { method: 'card' }],
  ['Card (Apple Pay), online', 'eur', { wallet: 'apple_pay' }],
  ['Card (Google Pay), online', 'eur', { wallet: 'google_pay' }],
  ['Card (Link), online', 'eur', { wallet: 'link' }],
  ['Link, online', 'eur', { method: 'link' }],
  ['iDEAL, online', 'eur', { method: 'ideal' }],
  ['Bancontact, online', 'eur', { method: 'bancontact' }],
  ['TWINT, online', 'chf', { method: 'twint' }],
  ['SEPA Direct Debit, online', 'eur', { method: 'sepa_debit', slow: true }],
  ['Bacs Direct Debit, online', 'gbp', { method: 'bacs_debit', slow: true }],
  ['Swish, online', 'sek', { method: 'swish' }],
  ['moon_pay_2030, online', 'eur', { method: 'moon_pay_2030' }],
];
const isStored = ({ method = 'card', wallet }: Play) => ({
  status: 'COMPLETED',
  type: 'card',
  method,
  wallet: wallet ?? null,
});

describeWithTool('pdftotext', 'the payment method of a donation', () => {
  it.each(PLAYED)(
    'the thank-you page stores the method, and the receipt prints "%s"',
    async (shown, currency, play) => {
      const opened = await paid(play, currency);
      // The event of the provider contains only the id of the charge.
      expect(await stored(opened)).toMatchObject({ status: 'COMPLETED', method: null });
      await thanks(opened, currency);
      expect(await stored(opened)).toEqual(isStored(play));
      expect(await receiptOf(opened)).toContain(shown);
      const { body } = await admin.get(`/donations/${opened.donationId}/story`).expect(200);
      const { donation } = body as { donation: { type: string; method?: string; wallet?: string } };
      expect([donation.type, donation.method, donation.wallet]).toEqual([
        'card',
        play.method ?? 'card',
        play.wallet,
      ]);
    },
  );

  it.each(PLAYED)(
    'a receipt stores and prints the method if the donor left without the thank-you page: "%s"',
    async (shown, currency, play) => {
      const opened = await paid(play, currency);
      expect(await receiptOf(opened)).toContain(shown);
      expect(await stored(opened)).toEqual(isStored(play));
    },
  );

  it.each([
    ['paypal', undefined, 'PayPal, online'],
    ['card', undefined, 'Card, online'],
    ['venmo', undefined, 'Venmo, online'],
    ['ideal', undefined, 'iDEAL, online'],
    ['google_pay', 'google_pay', 'Card (Google Pay), online'],
    ['star_credit', undefined, 'star_credit, online'],
  ])('the capture stores the source %s that PayPal reports', async (source, wallet, shown) => {
    const opened = await open('eur', 'wallet');
    app.sandbox.paypal.approve(opened.orderId, { source });
    await app.http.post(`/donations/wallet/${opened.orderId}/capture`).expect(200);
    await app.sandbox.settled();
    expect(await stored(opened)).toEqual({
      status: 'COMPLETED',
      type: 'wallet',
      method: wallet === undefined ? source : 'card',
      wallet: wallet ?? null,
    });
    expect(await receiptOf(opened)).toContain(shown);
  });

  it.each([
    ['de', 'Karte (Apple Pay), online'],
    ['fr', 'Carte (Apple Pay), en ligne'],
    ['es', 'Tarjeta (Apple Pay), en línea'],
    ['it', 'Carta (Apple Pay), online'],
    ['nl', 'Kaart (Apple Pay), online'],
  ])('the receipt of a donor who reads %s prints "%s"', async (locale, shown) => {
    const opened = await paid({ wallet: 'apple_pay' }, 'eur', { locale });
    expect(await receiptOf(opened)).toContain(shown);
  });

  it('a method name of the provider is shortened if it is too long, and ignored if it is not a plain text', async () => {
    const long = await paid({ method: `x${'<b>&"'.repeat(20)}` });
    expect(await receiptOf(long)).toContain('<b>&"');
    expect((await stored(long))?.method).toHaveLength(40);
    const broken = await paid({ method: 'two\nlines' });
    expect(await receiptOf(broken)).toContain('Card, online');
    expect(await stored(broken)).toMatchObject({ status: 'COMPLETED', method: null });
  });

  it('a copy of a receipt prints the same as the original after the method becomes known', async () => {
    const opened = await paid({ method: 'ideal' });
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.retrieve',
      kind: 'error',
      status: 400,
    });
    expect(await receiptOf(opened)).toContain('Card, online');
    await thanks(opened);
    expect(await stored(opened)).toMatchObject({ method: 'ideal' });
    const copy = await receiptOf(opened);
    expect(copy).toContain('COPY');
    expect(copy).toContain('Card, online');
  });
});

describe('booking the payment method', () => {
  /** Books a paid fact of a new intent, and returns the names of the statements in the transaction. */
  async function statementsOf(details: Partial<PaidFact>): Promise<string[]> {
    const { clientSecret } = await open();
    // The webhooks of earlier payments must not write their statements into the list.
    await app.sandbox.settled();
    const paymentId = clientSecret.replace(/_secret_.*/, '');
    const names: string[] = [];
    const database = app.app.get(Database);
    const transaction = database.transaction.bind(database);
    const spy = jest.spyOn(database, 'transaction');
    spy.mockImplementation((work) =>
      transaction((tx) => {
        const noted = (name: 'query' | 'write') => {
          const call = tx[name].bind(tx) as (statement: { name: string }, ...values: unknown[]) => unknown;
          return (statement: { name: string }, ...values: unknown[]) => {
            names.push(statement.name);
            return call(statement, ...values);
          };
        };
        const seen = new Proxy(tx, {
          get: (target, name) => {
            if (name === 'query' || name === 'write') return noted(name);
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          },
        });
        return work(seen);
      }),
    );
    const fact: PaidFact = {
      kind: 'paid',
      paymentId,
      captureId: `ch_${paymentId}`,
      amount: 2500n,
      currency: 'eur',
      paidAt: new Date(),
      ...details,
    };
    try {
      await app.app.get(PaymentFacts).book(app.app.get(PaymentProviders).ofDonation('stripe'), [fact]);
    } finally {
      spy.mockRestore();
    }
    return names;
  }

  it('a payment with a method is booked with the same statements as one without a method', async () => {
    const without = await statementsOf({});
    expect(without).toContain('donation_update');
    expect(await statementsOf({ method: { method: 'card', wallet: 'apple_pay' } })).toEqual(without);
  });
});

describe('the payment method in lists, files and sums', () => {
  it('refunds, disputes and totals do not depend on the method', async () => {
    const total = async () =>
      ((await admin.get(`/events/${event.id}`).expect(200)).body as { totalRaised: number }).totalRaised;
    const before = await total();
    const opened = await paid({ method: 'bancontact' });
    expect(await total()).toBe(before + 2500);
    await thanks(opened);
    expect(await total()).toBe(before + 2500);
    app.sandbox.stripe.refund(opened.clientSecret, { amount: 500 });
    app.sandbox.stripe.openDispute(opened.clientSecret, { amount: 700 });
    await app.sandbox.settled();
    app.sandbox.stripe.loseDispute(opened.clientSecret);
    await app.sandbox.settled();
    expect(await total()).toBe(before + 1300);
    expect(await stored(opened)).toMatchObject({ status: 'COMPLETED', method: 'bancontact' });
  });

  it('files, summary and statistics contain the method', async () => {
    const own = await createEvent(app, admin.token);
    const donate = async (play: Play, amount: number) => {
      const { body } = await app.http
        .post('/donations/intent')
        .send({ amount, metadata: { eventId: own.id } })
        .expect(201);
      const { clientSecret, donorToken } = body as Opened;
      app.sandbox.stripe.pay(clientSecret, play);
      await app.sandbox.settled();
      if (play.method !== 'unread')
        await app.http.get(`/donate/${own.slug}/thanks?donation=${donorToken}`).expect(200);
    };
    await donate({ method: 'ideal' }, 4000);
    await donate({ method: 'ideal' }, 1000);
    await donate({ wallet: 'apple_pay' }, 2000);
    await donate({ method: '=now();' }, 700);
    await donate({ method: 'unread' }, 300);
    await admin
      .post('/donations', { eventId: own.id, amount: 100, type: 'cash' })
      .set('Idempotency-Key', 'cash')
      .expect(201);

    const csv = (await admin.get(`/donations/export?eventId=${own.id}`).expect(200)).text;
    expect(csv.split('\r\n')[0]).toContain(',source,method,wallet,');
    const methods = csvObjects(csv.replace('\uFEFF', '')).map(({ method, wallet }) => [method, wallet]);
    for (const pair of [
      ['card', 'apple_pay'],
      ['ideal', ''],
      ["'=now();", ''],
    ])
      expect(methods).toContainEqual(pair);
    // The method is a free text of the provider, so it is quoted.
    expect(csv).toContain(`,"card","apple_pay",`);
    const people = (
      await admin.get(`/donations/export?eventId=${own.id}&format=people&language=de`).expect(200)
    ).text;
    expect(people).toContain('"Karte (Apple Pay)"');
    expect(people).toContain('"iDEAL"');

    const amounts = async (method: string) => {
      const { body } = await admin.get(`/donations?eventId=${own.id}&method=${method}`).expect(200);
      return (body as { data: { amount: number }[] }).data.map(({ amount }) => amount);
    };
    expect(await amounts('ideal')).toEqual([1000, 4000]);
    expect(await amounts('apple_pay')).toEqual([2000]);
    expect(await amounts('%25')).toEqual([]);
    const wallets = await admin.get(`/donations/export?eventId=${own.id}&method=apple_pay`).expect(200);
    expect(wallets.text.trimEnd().split('\r\n')).toHaveLength(2);

    const { body: summary } = await admin.get(`/events/${own.id}/summary`).expect(200);
    interface Kind {
      readonly type: string;
      readonly amount: number;
      readonly methods: { readonly method: string | null; readonly amount: number }[];
    }
    const { byType } = (summary as { currencies: [{ byType: Kind[] }] }).currencies[0];
    expect(byType.map(({ type, amount }) => [type, amount])).toEqual([
      ['card', 8000],
      ['cash', 100],
    ]);
    const sum = (method: string | null, wallet: string | null, count: number, amount: number) => ({
      method,
      wallet,
      count,
      amount,
      refunded: 0,
      net: amount,
    });
    expect(byType[0]?.methods).toEqual([
      sum('ideal', null, 2, 5000),
      sum('card', 'apple_pay', 1, 2000),
      sum('=now();', null, 1, 700),
      sum(null, null, 1, 300),
    ]);
    expect(byType[1]?.methods).toEqual([]);
    const file = (await admin.get(`/events/${own.id}/summary?format=csv`).expect(200)).text;
    expect(file).toContain('By payment method,"Card, online: iDEAL",2,50.00,0.00,50.00');
    expect(file).toContain('By payment method,"Card, online: not known",1,3.00,0.00,3.00');
    expect(file).toContain('"Card, online: Card (Apple Pay)"');
    await admin.get(`/events/${own.id}/summary?format=pdf`).expect(200);

    const { body: statistics } = await admin.get(`/statistics?eventId=${own.id}`).expect(200);
    expect(statistics).toMatchObject({
      byCurrency: [
        {
          count: 6,
          amount: 8100,
          median: 700,
          byType: [
            {
              type: 'card',
              amount: 8000,
              methods: [{ method: 'ideal', count: 2 }, {}, {}, { method: null }],
            },
            { type: 'cash', methods: [] },
          ],
        },
      ],
    });
  });
});
