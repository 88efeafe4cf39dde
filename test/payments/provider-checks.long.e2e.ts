import { describe, expect, it } from '@jest/globals';
import { as, errorBody, type Caller } from '../support/bearer.js';
import { startApp } from '../support/app.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService(startPaymentsApp);
const admin = withAdmin(app);

interface Check {
  readonly ok: boolean;
  readonly detail: string;
  readonly lastWebhookAt: string | null;
}
const check = async (name: string, caller: Caller = admin) =>
  (await caller.post(`/settings/providers/${name}/check`).expect(200)).body as Check;

describe('check of a payment provider', () => {
  it.each(['stripe', 'paypal'])(
    'makes a payment at %s, cancels it, and leaves donations unchanged',
    async (name) => {
      expect(await check(name)).toMatchObject({ provider: name, ok: true });
      await app.sandbox.settled();
      expect(await sql(app, 'SELECT id FROM donation')).toEqual([]);
      expect(await sql(app, 'SELECT id FROM review_item')).toEqual([]);
    },
  );

  it.each([
    ['stripe', 'czk', 100],
    ['stripe', 'huf', 100],
    ['stripe', 'kwd', 10_005],
    ['paypal', 'huf', 100_050],
  ])(
    'reports that %s works with %s too, with the smallest amount of that currency',
    async (name, currency, minAmount) => {
      const set = (payment: string, least: number) =>
        admin
          .patch('/settings/global', { payment: { currency: payment }, donation: { minAmount: least } })
          .expect(200);
      await set(currency, minAmount);
      try {
        expect(await check(name)).toMatchObject({ ok: true });
      } finally {
        await set('eur', 100);
      }
    },
  );

  it('reports the time of the last webhook event', async () => {
    const { id: eventId } = await createEvent(app, await adminToken(app));
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 2500, currency: 'eur', metadata: { eventId } })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    const { lastWebhookAt } = await check('stripe');
    expect(Date.now() - Date.parse(lastWebhookAt ?? '')).toBeLessThan(60_000);
    expect((await check('paypal')).lastWebhookAt).toBeNull();
  });

  it('reports the problem of a provider that does not work', async () => {
    const plain = await startApp();
    try {
      const caller = as(plain, await adminToken(plain));
      expect(await check('stripe', caller)).toMatchObject({
        ok: false,
        detail: expect.stringContaining('not set up'),
      });
    } finally {
      await plain.close();
    }
    const broken = await startPaymentsApp({ STRIPE_SECRET_KEY: 'sk_test_wrong' });
    try {
      const caller = as(broken, await adminToken(broken));
      const { ok, detail } = await check('stripe', caller);
      expect(ok).toBe(false);
      expect(detail).not.toContain('sk_test_wrong');
    } finally {
      await broken.close();
    }
  });

  it('answers 404 for an unknown provider', async () => {
    const { body } = await admin.post('/settings/providers/nobody/check').expect(404);
    expect(body).toEqual(errorBody(404, 'Not Found', 'PROVIDER_NOT_FOUND'));
  });
});
