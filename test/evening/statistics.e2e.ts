import { beforeAll, describe, expect, it } from '@jest/globals';
import { insertDonation } from '../support/donation-rows.js';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);

beforeAll(async () => {
  await admin.patch('/settings/global', { timezone: 'Europe/Berlin' }).expect(200);
});

async function eveningOf(gifts: readonly (readonly [time: string, amount: number, fields?: object])[]) {
  const event = await createEvent(app, admin.token);
  for (const [completedAt, amount, fields] of gifts)
    await insertDonation(app, event.id, { completedAt, amount, ...fields });
  return event;
}

describe('GET /statistics', () => {
  it('the statistics compare two evenings hour by hour from the first donation', async () => {
    const last = await eveningOf([
      ['2025-11-22T18:30:00Z', 1_000],
      ['2025-11-22T20:10:00Z', 500, { type: 'check' }],
    ]);
    const event = await eveningOf([
      ['2026-11-21T19:05:00Z', 2_000],
      ['2026-11-21T19:50:00Z', 1_000, { refundedAmount: 400 }],
      ['2026-11-21T21:00:00Z', 300, { type: 'check' }],
      ['2026-11-21T21:30:00Z', 70, { currency: 'usd' }],
      ['2026-11-21T21:30:00Z', 999, { status: 'FAILED' }],
    ]);
    const { body } = await admin.get(`/statistics?eventId=${event.slug}&compareTo=${last.id}`).expect(200);
    expect(body.event).toMatchObject({ id: event.id, timezone: 'Europe/Berlin' });
    const [eur, usd] = body.byCurrency;
    expect(eur).toMatchObject({
      currency: 'eur',
      count: 3,
      amount: 2_900,
      average: 966,
      median: 600,
      largest: 2_000,
    });
    expect(eur.byHour).toEqual([
      {
        index: 0,
        from: '2026-11-21T19:00:00.000Z',
        local: '2026-11-21T20:00:00+01:00',
        count: 2,
        amount: 2_600,
        cumulative: 2_600,
      },
      expect.objectContaining({ index: 2, count: 1, amount: 300, cumulative: 2_900 }),
    ]);
    expect(eur.byType).toEqual([
      { type: 'cash', count: 2, amount: 2_600, methods: [] },
      { type: 'check', count: 1, amount: 300, methods: [] },
    ]);
    expect(usd).toMatchObject({ currency: 'usd', count: 1, amount: 70 });
    expect(body.compareTo.event.id).toBe(last.id);
    expect(
      body.compareTo.byCurrency[0].byHour.map(({ index, amount }: { index: number; amount: number }) => [
        index,
        amount,
      ]),
    ).toEqual([
      [0, 1_000],
      [2, 500],
    ]);
  });

  it('the statistics count donations by their source: the link or code of the donate page', async () => {
    const event = await eveningOf([
      ['2026-11-21T19:05:00Z', 2_000, { source: 'table-7' }],
      ['2026-11-21T19:06:00Z', 500, { source: 'poster' }],
      ['2026-11-21T19:07:00Z', 700, { source: 'table-7' }],
      ['2026-11-21T19:08:00Z', 900],
    ]);
    const { body } = await admin.get(`/statistics?eventId=${event.slug}`).expect(200);
    expect(body.byCurrency[0].bySource).toEqual([
      { source: 'table-7', count: 2, amount: 2_700 },
      { source: null, count: 1, amount: 900 },
      { source: 'poster', count: 1, amount: 500 },
    ]);
    expect(body.byCurrency[0]).toMatchObject({ count: 4, amount: 4_100, median: 700 });
  });

  it('the statistics work without an earlier event, without donations, and compared with the same event', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await admin.get(`/statistics?eventId=${event.id}`).expect(200);
    expect(body).toMatchObject({
      compareTo: null,
      byCurrency: [{ currency: 'eur', count: 0, amount: 0, average: 0, byHour: [] }],
    });
    const { body: same } = await admin
      .get(`/statistics?eventId=${event.id}&compareTo=${event.slug}`)
      .expect(200);
    expect(same.compareTo.event.id).toBe(event.id);
  });

  it('the statistics answer 404 for an unknown event', async () => {
    const event = await createEvent(app, admin.token);
    await admin.get('/statistics').expect(400);
    await admin.get('/statistics?eventId=no-such-event').expect(404);
    await admin.get(`/statistics?eventId=${event.id}&compareTo=no-such-event`).expect(404);
  });
});
