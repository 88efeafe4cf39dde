import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { as } from '../support/bearer.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

describe('a donation with a hidden amount', () => {
  const evening = withEvent({ start: startPaymentsApp, each: true });
  const { app, admin, event } = evening;
  const staff = withStaff(evening, { each: true });
  let wall: WallClient;
  const give = async (fields: object = {}): Promise<string> => {
    const { body } = await as(app, staff.token)
      .post('/donations', { amount: 4_200, type: 'cash', donorName: 'Ada', isAmountHidden: true, ...fields })
      .expect(201);
    expect(body).toMatchObject({ amount: 4_200, isAmountHidden: true });
    return (body as { id: string }).id;
  };
  beforeEach(async () => {
    wall = await WallClient.connect(app.url);
  });
  afterEach(() => {
    wall.close();
  });
  const hidden = { amount: null, isAmountHidden: true, donorName: 'Ada' };

  it('moves the total of the wall, but reaches neither its feed nor a snapshot with its amount', async () => {
    await wall.join(event.id);
    const id = await give();
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject({ id, ...hidden });
    await until(async () => {
      const { body } = await app.http.get(`/events/${event.slug}`).expect(200);
      return (body as { totalRaised: number }).totalRaised === 4_200;
    }, 'the total');
    expect(await wall.join({ eventId: event.id, snapshot: true })).toMatchObject({
      snapshot: { totalRaised: 4_200, donations: [{ id, ...hidden }] },
    });
  });

  it('a correction shows the amount to the wall, and hides it again', async () => {
    await wall.join(event.id);
    const id = await give();
    const correct = (isAmountHidden: boolean) =>
      admin.patch(`/donations/${id}`, { isAmountHidden, expected: { isAmountHidden: !isAmountHidden } });
    await correct(false).expect(200);
    await wall.until(() => wall.donations.length === 2);
    expect(wall.donations[1]).toMatchObject({ topic: 'donation.updated', body: { id, amount: 4_200 } });
    expect(wall.donations[1]?.body).not.toHaveProperty('isAmountHidden');
    await correct(true).expect(200);
    await wall.until(() => wall.donations.length === 3);
    expect(wall.donations[2]).toMatchObject({ topic: 'donation.updated', body: { id, ...hidden } });
    await admin
      .patch(`/donations/${id}`, { isAmountHidden: false, expected: { isAmountHidden: false } })
      .expect(409);
  });

  it('can be made online, and stays hidden after the payment', async () => {
    await wall.join(event.id);
    const metadata = { eventId: event.id, donorName: 'Ada', isAmountHidden: 'true' };
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 4_200, method: 'card', metadata })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject(hidden);
  });

  it('stays hidden if the donor pays a pledge whose amount is hidden', async () => {
    const pledge = await give({ type: 'pledge' });
    const link = await admin.post(`/donations/${pledge}/payment-link`).expect(201);
    const pledgeToken = new URL((link.body as { url: string }).url).searchParams.get('pledge');
    await wall.join(event.id);
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 4_200, method: 'card', metadata: { eventId: event.id, pledgeToken, donorName: 'Ada' } })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await wall.until(() => wall.created.length === 1);
    expect(wall.created[0]?.body).toMatchObject(hidden);
  });

  it('has its amount on the receipt and in the CSV file', async () => {
    const id = await give();
    const { text } = await admin.get('/donations/export').expect(200);
    const [heads, row] = text.replace('\uFEFF', '').trim().split('\r\n');
    expect(row).toMatch(new RegExp(`^${id},.*,4200,`));
    const column = heads?.split(',').indexOf('isAmountHidden') ?? -1;
    expect(row?.split(',')[column]).toBe('true');
  });

  it('shows a heart in the list of the donate page', async () => {
    await give();
    await until(async () => {
      const { text } = await app.http.get(`/donate/${event.slug}`).expect(200);
      const list = /<section class="latest"[^]*?<\/section>/.exec(text)?.[0] ?? '';
      return list.includes('aria-label="amount hidden"') && !list.includes('€42');
    }, 'the heart');
  });

  it.each(['yes', 1, null])('is refused with isAmountHidden %p', async (isAmountHidden) => {
    const body = { amount: 4_200, type: 'cash', isAmountHidden };
    await as(app, staff.token).post('/donations', body).expect(400);
  });
});
