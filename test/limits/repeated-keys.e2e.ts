import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { providerEnvironment, startPaymentsApp } from '../support/payments.js';
import { describeWithRedis } from '../support/redis.js';
import { withEvent, withOpened, withRedis, withService } from '../support/setup.js';

const PLENTY = 1_000_000;
const OF_EMAIL = 3;
const limits = {
  perMinute: PLENTY,
  authPerMinute: PLENTY,
  trustedFactor: 50,
  intentsPerAddress: PLENTY,
  intentsPerEvent: PLENTY,
  intentsPerEmail: OF_EMAIL,
};

/** A client sends one Idempotency-Key several times at once to two processes. This must not bypass the payment budget. */
describeWithRedis('simultaneous requests with one Idempotency-Key', () => {
  const redis = withRedis();
  // A slow challenge service that refuses every challenge. A refused request waits here before the service answers.
  const verifier = withOpened(async () => {
    const server = createServer((_request, response) => {
      setTimeout(() => response.end(JSON.stringify({ success: false })), 100);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  });
  const shared = () => ({
    REDIS_URL: redis.url,
    CHALLENGE_VERIFY_URL: `http://127.0.0.1:${String((verifier.address() as AddressInfo).port)}/siteverify`,
    CHALLENGE_SECRET: 'the secret',
    CHALLENGE_SITE_KEY: '0x4AAA',
  });
  const { app, event } = withEvent({ start: () => startPaymentsApp(shared(), { limits }) });
  const other = withService(() =>
    startApp({ ...providerEnvironment(app.sandbox), ...shared() }, { limits }, app.databaseUrl),
  );

  /** Sends the request at once, and not when the test awaits the result. */
  const send = async (to: TestApp, donorEmail: string, key: string) =>
    await to.http
      .post('/donations/intent')
      .set('Idempotency-Key', key)
      .set('Challenge-Token', 'a program')
      .send({ amount: 500, method: 'wallet', metadata: { eventId: event.id, donorEmail } });
  const newDonor = () => `${newId()}@example.org`;
  const five = [0, 1, 2, 3, 4];

  it('simultaneous requests with one key start no payment after the budget is used up', async () => {
    const donor = newDonor();
    for (const key of [newId(), newId(), newId()]) expect((await send(app, donor, key)).status).toBe(201);
    const key = newId();
    const answers = await Promise.all(five.flatMap(() => [send(app, donor, key), send(other, donor, key)]));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(429));
  });

  it('requests with repeated keys at two processes start no more payments than the budget allows', async () => {
    const donor = newDonor();
    const payments = new Set<string>();
    // The test sends one key after the other, each to both processes at once. A repeated key must not release the budget of
    // its payment.
    for (let round = 0; round < 3 * OF_EMAIL; round += 1) {
      const key = newId();
      const answers = await Promise.all(five.flatMap(() => [send(app, donor, key), send(other, donor, key)]));
      for (const { status, body } of answers)
        if (status === 201) payments.add((body as { donationId: string }).donationId);
    }
    expect(payments.size).toBeGreaterThan(0);
    expect(payments.size).toBeLessThanOrEqual(OF_EMAIL);
  });
});
