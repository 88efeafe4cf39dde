import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withEvent, withMade, withStaff } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

describe('recorded donations on the wall', () => {
  const evening = withEvent({ each: true });
  const { app, admin, event } = evening;
  const staff = withStaff(evening, { each: true });
  const wall = withMade(() => WallClient.connect(app.url), beforeEach);
  beforeEach(() => wall.join(event.slug));
  afterEach(() => {
    wall.close();
  });

  const give = async (fields: object = {}): Promise<string> => {
    const { body } = await staff
      .post('/donations', {
        amount: 1_000,
        type: 'cash',
        donorName: 'Ada',
        ...fields,
      })
      .expect(201);
    return (body as { id: string }).id;
  };
  const quiet = () => new Promise((resolve) => setTimeout(resolve, 150));

  it('a recorded donation is broadcast once, well within a second', async () => {
    const started = performance.now();
    const id = await give();
    await wall.until(() => wall.created.length === 1);
    expect((wall.created[0]?.at ?? Infinity) - started).toBeLessThan(1_000);
    expect(wall.created[0]?.body).toMatchObject({ id, amount: 1_000, donorName: 'Ada', sequence: 1 });
    await wall.until(() => wall.totals.some(({ body }) => body.sequence === 1));
    expect(wall.totals.find(({ body }) => body.sequence === 1)?.body).toMatchObject({
      totalRaised: 1_000,
      donorCount: 1,
    });
  });

  it('a pledge is broadcast when it is fulfilled, and not before', async () => {
    const id = await give({ type: 'pledge' });
    await staff.patch(`/donations/${id}`, { message: 'Soon' }).expect(200);
    await quiet();
    expect(wall.donations).toEqual([]);
    await staff.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);
    await wall.until(() => wall.donations.length === 1);
    expect(wall.donations[0]).toMatchObject({
      topic: 'donation.created',
      body: { id, message: 'Soon', sequence: 1 },
    });
  });

  it('a correction is broadcast as an update and a cancellation as a retraction, with the stored totals', async () => {
    const id = await give();
    await wall.until(() => wall.donations.length === 1);
    await admin.patch(`/donations/${id}`, { isAnonymous: true }).expect(200);
    await wall.until(() => wall.donations.length === 2);
    expect(wall.donations[1]).toMatchObject({ topic: 'donation.updated', body: { donorName: 'Anonymous' } });
    await admin.post(`/donations/${id}/cancel`, { shouldRefund: true }).expect(200);
    await wall.until(
      () => wall.donations.length === 3 && wall.totals.some(({ body }) => body.sequence === 3),
    );
    expect(wall.donations[2]).toMatchObject({
      topic: 'donation.retracted',
      body: { id, reason: 'refunded' },
    });
    expect(wall.totals.find(({ body }) => body.sequence === 3)?.body).toMatchObject({
      totalRaised: 0,
      donorCount: 0,
    });
    expect(wall.created).toHaveLength(1);
  });

  it('a donation sent twice under one key is broadcast once', async () => {
    for (let again = 0; again < 3; again++)
      await staff
        .post('/donations', { amount: 700, type: 'cash' })
        .set('Idempotency-Key', 'box-1')
        .expect(201);
    await wall.until(() => wall.created.length === 1);
    await quiet();
    expect(wall.created).toHaveLength(1);
  });

  it('a hundred donations of many terminals are numbered without a gap', async () => {
    await Promise.all(Array.from({ length: 100 }, () => give()));
    await wall.until(() => wall.created.length === 100);
    expect(wall.created.map(({ body }) => body.sequence)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    await wall.until(() => wall.totals.some(({ body }) => body.sequence === 100));
    expect(wall.totals.find(({ body }) => body.sequence === 100)?.body.totalRaised).toBe(100_000);
  });
});
