import { describe, expect, it } from '@jest/globals';
import { as } from '../support/bearer.js';
import { insertDonation } from '../support/donation-rows.js';
import { adminToken, createEvent, createStaff, sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({ fields: { goalAmount: 50_000 } });

const tonight = async (ref = event.id) => (await admin.get(`/events/${ref}/tonight`).expect(200)).body;

describe('GET /events/:id/tonight', () => {
  it('the page of the evening shows zeros before the first donation', async () => {
    expect(await tonight(event.slug)).toMatchObject({
      event: { id: event.id },
      goalAmount: 50_000,
      totals: { totalRaised: 0, donorCount: 0 },
      recent: [],
      staffOn: [],
      messagesWaiting: 0,
      namesWaiting: 0,
      tributesWaiting: 0,
      providers: [
        { name: 'stripe', enabled: false, state: 'unknown', lastOkAt: null, lastWebhookAt: null },
        { name: 'paypal', enabled: false, state: 'unknown' },
      ],
    });
  });

  it('the page of the evening shows the donations, their staff and the items that need attention', async () => {
    await admin.patch(`/events/${event.id}/settings`, { live: { moderate: 'all' } }).expect(200);
    const maria = await createStaff(app, admin.token, event.id, 'Maria');
    const alan = await createStaff(app, admin.token, event.id, 'Alan');
    const record = async (fields: object) =>
      (
        await as(app, maria.token)
          .post('/donations', { type: 'cash', amount: 1_000, ...fields })
          .expect(201)
      ).body;
    const first = await record({ donorName: 'Ada', message: 'For the roof' });
    await record({ amount: 500 });
    await record({ amount: 9_000, type: 'pledge' });
    const undone = await record({ amount: 7_000 });
    await as(app, maria.token).post(`/donations/${undone.id}/undo`).expect(200);
    await sql(
      app,
      "INSERT INTO review_item (id, kind, subject, detail) VALUES (gen_random_uuid(), 'dispute', 'test', '{}')",
    );
    const now = await tonight();
    expect(now.totals).toMatchObject({ totalRaised: 1_500, donorCount: 2 });
    expect(now.recent.map(({ amount }: { amount: number }) => amount)).toEqual([500, 1_000]);
    expect(now.recent[1]).toEqual(first);
    expect(now.staffOn).toEqual([
      expect.objectContaining({
        staffId: maria.id,
        name: 'Maria',
        recorded: 2,
        amount: 1_500,
        pledged: 9_000,
      }),
      expect.objectContaining({
        staffId: alan.id,
        name: 'Alan',
        lastSeenAt: null,
        recorded: 0,
        amount: 0,
        pledged: 0,
      }),
    ]);
    expect(now).toMatchObject({ messagesWaiting: 1, namesWaiting: 1, reviewItems: 1 });
    expect(now.perMinute).toHaveLength(60);
    expect(
      now.perMinute.slice(-3).reduce((sum: number, one: { amount: number }) => sum + one.amount, 0),
    ).toBe(1_500);
    expect(now.perMinute.slice(0, 50).every(({ count }: { count: number }) => count === 0)).toBe(true);
  });

  it('the page of the evening shows at most the twenty newest donations and no minute of yesterday', async () => {
    const busy = await createEvent(app, admin.token);
    for (let amount = 1; amount <= 25; amount++) await insertDonation(app, busy.id, { amount });
    const now = await tonight(busy.id);
    expect(now.recent.map(({ amount }: { amount: number }) => amount)).toEqual(
      Array.from({ length: 20 }, (_, index) => 25 - index),
    );
    expect(now.perMinute.every(({ count }: { count: number }) => count === 0)).toBe(true);
  });

  it('the page of the evening contains no PIN and no secret', async () => {
    const { code } = await createStaff(app, admin.token, event.id, 'Zoë');
    expect(JSON.stringify((await tonight()).staffOn)).not.toContain(code);
  });

  it('the page of the evening is readable only for admins and accountants', async () => {
    const staff = await createStaff(app, admin.token, event.id);
    await as(app, staff.token).get(`/events/${event.id}/tonight`).expect(403);
    await as(app, await adminToken(app, 'ACCOUNTANT'))
      .get(`/events/${event.id}/tonight`)
      .expect(200);
    await admin.get('/events/no-such-event/tonight').expect(404);
  });
});
