import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { expectSettledBooks } from '../money/invariants.js';
import { World } from '../money/world.js';
import { startPaymentsApp } from '../support/payments.js';
import { describeWithRedis } from '../support/redis.js';
import { withAdmin, withRedis, withService } from '../support/setup.js';
import { until } from '../support/until.js';

describeWithRedis('Redis faults', () => {
  const redis = withRedis();
  const app = withService(() => startPaymentsApp({ REDIS_URL: redis.url }));
  const admin = withAdmin(app);

  /** Makes one donation of each kind and refunds it. */
  async function giveAndTakeBack(): Promise<void> {
    const world = await World.create(app, admin.token);
    const card = await world.intent('card', 1000, 'ada@example.org');
    const wallet = await world.intent('wallet', 2000, 'ada@example.org');
    app.sandbox.stripe.pay(card.paymentId);
    app.sandbox.paypal.approve(wallet.paymentId);
    await world.deliverAll(Math.random);
    expect(await world.donation(card.donationId)).toMatchObject({ status: 'COMPLETED' });
    expect(await world.donation(wallet.donationId)).toMatchObject({ status: 'COMPLETED' });
    expect((await world.cancel(card.donationId, { shouldRefund: true })).status).toBe(200);
    await world.deliverAll(Math.random);
    expect(world.failures).toEqual([]);
    await expectSettledBooks(app, world.event.id, [card.paymentId, wallet.paymentId]);
  }

  it('without Redis, payments succeed and no donation is lost', async () => {
    await giveAndTakeBack();
    await redis.kill();
    await giveAndTakeBack();
    await app.http.get('/health/ready').expect(200);
    await redis.restart();
    await giveAndTakeBack();
  });

  it('after a Redis failover, commands and rooms connect to the new primary', async () => {
    const direct = new Redis(redis.url);
    try {
      const connected = async () => {
        const list = String(await direct.call('CLIENT', 'LIST'));
        return [...list.matchAll(/^id=(\d+) .* name=donations-(\S+) /gm)].map(
          ([, id, name]) => `${name ?? ''} ${id ?? ''}`,
        );
      };
      let before: string[] = [];
      await until(async () => (before = await connected()).length === 4, 'the four connections');
      await direct.call('REPLICAOF', '127.0.0.1', '1');
      await giveAndTakeBack();
      await until(async () => {
        const now = await connected();
        return now.length === 4 && now.every((one) => !before.includes(one));
      }, 'four new connections');
      await direct.call('REPLICAOF', 'NO', 'ONE');
      await giveAndTakeBack();
    } finally {
      direct.disconnect();
    }
  });

  it('while Redis hangs, payments succeed', async () => {
    redis.pause();
    try {
      await giveAndTakeBack();
    } finally {
      redis.resume();
    }
  });
});
