import { expect, it } from '@jest/globals';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { startApp, type TestApp } from '../support/app.js';
import { providerEnvironment, startPaymentsApp } from '../support/payments.js';
import { describeWithRedis } from '../support/redis.js';
import { withRedis, withEvent, withService } from '../support/setup.js';

const READ =
  /^provider_request_duration_seconds_count\{provider="stripe",call="readPayment",[^}]*\} (\d+)$/gm;

/** Returns the number of status requests that one process has sent to the provider. */
async function questionsOf({ app }: TestApp): Promise<number> {
  const text = await app.get(Metrics).text();
  return [...text.matchAll(READ)].reduce((sum, [, count]) => sum + Number(count), 0);
}

describeWithRedis('status requests about a donation', () => {
  const redis = withRedis();
  const { app, event } = withEvent({ start: () => startPaymentsApp({ REDIS_URL: redis.url }) });
  const other = withService(() =>
    startApp({ ...providerEnvironment(app.sandbox), REDIS_URL: redis.url }, {}, app.databaseUrl),
  );

  const open = async () => {
    const body = { amount: 2_500, metadata: { eventId: event.slug } };
    const { body: intent } = await app.http.post('/donations/intent').send(body).expect(201);
    return intent as { clientSecret: string; donorToken: string };
  };
  const look = async (one: TestApp, token: string) => {
    await one.http.get(`/donations/mine/${token}`).expect(200);
    await one.http
      .get(`/donate/${event.slug}/thanks?donation=${token}`)
      .set('accept', 'text/html')
      .expect(200);
  };

  it('two processes together ask the provider at most once a second', async () => {
    const { donorToken } = await open();
    const began = performance.now();
    let looks = 0;
    // A busy machine answers slowly. So the loop makes at least two rounds.
    while (performance.now() - began < 3_000 || looks <= 8) {
      await Promise.all([app, other].flatMap((one) => [look(one, donorToken), look(one, donorToken)]));
      looks += 8;
    }
    const seconds = (performance.now() - began) / 1_000;
    const asked = (await questionsOf(app)) + (await questionsOf(other));
    expect(looks).toBeGreaterThan(8);
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  }, 30_000);

  it('the thank-you page shows a payment made after the last status request', async () => {
    const { clientSecret, donorToken } = await open();
    app.sandbox.setDeliveryMode('manual');
    try {
      const { body } = await app.http.get(`/donations/mine/${donorToken}`).expect(200);
      expect(body).toMatchObject({ state: 'open' });
      app.sandbox.stripe.pay(clientSecret);
      const { text } = await app.http
        .get(`/donate/${event.slug}/thanks?donation=${donorToken}`)
        .set('accept', 'text/html')
        .expect(200);
      expect(text).toContain('&quot;state&quot;:&quot;paid&quot;');
    } finally {
      app.sandbox.setDeliveryMode('auto');
    }
  });
});
