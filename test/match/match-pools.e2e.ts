import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { MatchSchedule } from '../../src/match/match-schedule.service.js';
import type { DonationBody } from '../support/bearer.js';
import { createEvent, sql } from '../support/fixtures.js';
import { createPool, type PoolBody, untilMatched, wrongPools } from '../support/match-pools.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

const evening = withEvent({ start: () => startPaymentsApp(), each: true });
const { app, admin, event } = evening;
const staff = withStaff(evening, { each: true });

const give = async (amount: number, fields: object = {}) =>
  (
    await staff
      .post('/donations', { type: 'cash', amount, ...fields })
      .set('Idempotency-Key', randomUUID())
      .expect(201)
  ).body as DonationBody;
const giveAsAdmin = async (fields: object) =>
  (await admin.post('/donations', { eventId: event.id, type: 'cash', ...fields }).expect(201))
    .body as DonationBody;
const refund = (id: string, fields: object = {}) =>
  admin
    .post(`/donations/${id}/cancel`, { shouldRefund: true, ...fields })
    .set('Idempotency-Key', randomUUID())
    .expect(200);
const poolNow = async (id: string) => (await admin.get(`/match-pools/${id}`).expect(200)).body as PoolBody;
const drawn = async (pool: { id: string }) => {
  await untilMatched(app);
  expect(await wrongPools(app)).toEqual([]);
  return await poolNow(pool.id);
};
interface DrawBody {
  readonly donationId: string;
  readonly amount: number;
  readonly kept: number;
  readonly state: string;
}
const drawsOf = async (pool: { id: string }) =>
  ((await admin.get(`/match-pools/${pool.id}/draws`).expect(200)).body as { data: DrawBody[] }).data;
const publicPools = async () =>
  (await app.http.get(`/events/${event.slug}/match`).expect(200)).body as PoolBody[];
const patch = (pool: PoolBody, change: object) =>
  admin.patch(`/match-pools/${pool.id}`, { version: pool.version, ...change });
const step = (pool: { id: string }, name: string, body: object = {}) =>
  admin.post(`/match-pools/${pool.id}/${name}`, body);
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe('donations and a match pool', () => {
  it('doubles donations until the pool is used up; the last one gets the rest', async () => {
    const pool = await createPool(admin, event.id, { cap: 10_000 });
    const raised = async () =>
      (await app.http.get(`/events/${event.slug}`).expect(200)).body.totalRaised as number;
    const before = await raised();
    await give(4_000);
    const [first, second] = await Promise.all([give(4_000), give(4_000)]);
    const late = await give(1_000);
    expect(await drawn(pool)).toMatchObject({
      drawn: 10_000,
      left: 0,
      gifts: 3,
      status: 'open',
      due: 10_000,
    });
    const amounts = new Map((await drawsOf(pool)).map(({ donationId, amount }) => [donationId, amount]));
    expect([amounts.get(first.id), amounts.get(second.id)].sort()).toEqual([2_000, 4_000]);
    expect(amounts.get(late.id)).toBe(0);
    // The promise is in no total. The public answer comes from memory, and follows the database.
    await until(async () => (await raised()) - before >= 13_000, 'the public total');
    expect((await raised()) - before).toBe(13_000);
    expect(await publicPools()).toMatchObject([
      { matcher: 'A supporter', drawn: 10_000, left: 0, status: 'open', usedUpAt: expect.any(String) },
    ]);
  });

  it('leaves refunded money to later donations and never fills up an earlier one', async () => {
    const pool = await createPool(admin, event.id, { cap: 5_000 });
    const emptying = await give(5_000);
    await drawn(pool);
    const unmatched = await give(3_000);
    await drawn(pool);
    await refund(emptying.id, { amount: 2_000 });
    expect(await drawn(pool)).toMatchObject({ drawn: 3_000, left: 2_000 });
    await staff.patch(`/donations/${unmatched.id}`, { donorName: 'Ann' }).expect(200);
    expect(await drawn(pool)).toMatchObject({ drawn: 3_000 });
    await give(1_500);
    expect(await drawn(pool)).toMatchObject({ drawn: 4_500, gifts: 2 });
    await refund(emptying.id);
    expect(await drawn(pool)).toMatchObject({ drawn: 1_500, gifts: 1 });
  });

  it('a partial refund above the maximum for a donation leaves its draw', async () => {
    const pool = await createPool(admin, event.id, { perGiftCap: 2_000 });
    const donation = await give(5_000);
    await drawn(pool);
    await refund(donation.id, { amount: 2_500 });
    expect(await drawn(pool)).toMatchObject({ drawn: 2_000 });
  });

  it('does not match donations in yen, of the matcher, of other types, and before the opening', async () => {
    await give(1_000);
    const pool = await createPool(admin, event.id, { matcherEmail: 'Max@Example.org', kinds: ['cash'] });
    await sql(
      app,
      `UPDATE event SET overrides = jsonb_set(overrides, '{payment}', '{"acceptedCurrencies": ["jpy"]}') WHERE id = $1`,
      [event.id],
    );
    const yen = await give(7_000);
    await sql(app, `UPDATE donation SET currency = 'jpy' WHERE id = $1`, [yen.id]);
    await give(1_000, { donorEmail: 'max@example.org', donorName: 'Max' });
    await give(1_000, { type: 'check' });
    await give(1_100, { donorEmail: 'eve@example.org', donorName: 'Eve' });
    const state = await drawn(pool);
    // The follower may have matched the donation in yen before the change of its currency here.
    const amounts = new Map((await drawsOf(pool)).map(({ donationId, amount }) => [donationId, amount]));
    expect(state.drawn - (amounts.get(yen.id) ?? 0)).toBe(1_100);
  });

  it('adds at most the maximum for each donor over several donations', async () => {
    const pool = await createPool(admin, event.id, { perDonorCap: 1_500 });
    await give(1_000, { donorEmail: 'ann@example.org', donorName: 'Ann' });
    await give(1_000, { donorEmail: 'ANN@example.org', donorName: 'Ann' });
    await give(1_000, { donorEmail: 'bob@example.org', donorName: 'Bob' });
    expect(await drawn(pool)).toMatchObject({ drawn: 2_500 });
  });

  it('uses several pools by priority, and hands the rest of a donation to the next', async () => {
    const second = await createPool(admin, event.id, { priority: 200 });
    const first = await createPool(admin, event.id, { priority: 100, cap: 1_000 });
    await give(4_000);
    expect(await drawn(first)).toMatchObject({ drawn: 1_000 });
    expect(await drawn(second)).toMatchObject({ drawn: 3_000 });
  });

  it('in the mode "all", each open pool matches the whole donation', async () => {
    await admin.patch(`/events/${event.id}/settings`, { live: { match: { mode: 'all' } } }).expect(200);
    const first = await createPool(admin, event.id, { ratio: 20_000 });
    const second = await createPool(admin, event.id, { ratio: 15_000 }, false);
    const { body } = await step(second, 'open').expect(409);
    expect(body).toMatchObject({ code: 'MATCH_RATIOS_HIGH' });
    await step(second, 'open', { confirmed: true }).expect(200);
    await give(1_000);
    expect(await drawn(first)).toMatchObject({ drawn: 2_000 });
    expect(await drawn(second)).toMatchObject({ drawn: 1_500 });
  });

  it('matches cash from before the end that arrives within the grace time, and none that is later', async () => {
    const pool = await createPool(
      admin,
      event.id,
      { opensAt: ago(180), closesAt: ago(60), graceMinutes: 120 },
      false,
    );
    await sql(app, `UPDATE match_pool SET closes_at = NULL WHERE id = $1`, [pool.id]);
    await step(pool, 'open').expect(200);
    await sql(app, `UPDATE match_pool_interval SET opened_at = $2 WHERE pool_id = $1`, [pool.id, ago(180)]);
    await sql(app, `UPDATE match_pool SET closes_at = $2 WHERE id = $1`, [pool.id, ago(60)]);
    await give(1_000, { recordedAt: ago(110) });
    await give(1_000, { recordedAt: ago(50) });
    expect(await drawn(pool)).toMatchObject({ drawn: 1_000, status: 'ended' });
    await sql(app, `UPDATE match_pool SET grace_minutes = 30 WHERE id = $1`, [pool.id]);
    await give(1_000, { recordedAt: ago(110) });
    expect(await drawn(pool)).toMatchObject({ drawn: 1_000 });
  });

  it('continues while the event is paused, and stops while the pool is paused', async () => {
    const pool = await createPool(admin, event.id);
    await admin.patch(`/events/${event.id}`, { status: 'paused' }).expect(200);
    await give(1_000);
    expect(await drawn(pool)).toMatchObject({ drawn: 1_000 });
    await step(pool, 'pause').expect(200);
    await give(1_000);
    expect(await drawn(pool)).toMatchObject({ drawn: 1_000 });
    await step(pool, 'resume').expect(200);
    await give(500);
    expect(await drawn(pool)).toMatchObject({ drawn: 1_500, status: 'open' });
  });

  it('the draw of an erased donor stays', async () => {
    const pool = await createPool(admin, event.id);
    const donation = await give(1_000, { donorEmail: 'gone@example.org', donorName: 'Gone' });
    await drawn(pool);
    const { body } = await admin.get('/donors?search=gone@example.org').expect(200);
    await admin.delete(`/donors/${(body as { data: { key: string }[] }).data[0]?.key ?? ''}`).expect(200);
    expect(await drawn(pool)).toMatchObject({ drawn: 1_000 });
    expect(await drawsOf(pool)).toMatchObject([{ donationId: donation.id, amount: 1_000 }]);
  });

  it('the same donations draw the same again after a restore of an older state', async () => {
    const pool = await createPool(admin, event.id, { cap: 6_000, perGiftCap: 2_500 });
    for (const amount of [1_000, 4_000, 2_000, 3_000]) await give(amount);
    const before = await drawn(pool);
    const draws = await drawsOf(pool);
    await sql(app, 'DELETE FROM match_draw WHERE pool_id = $1', [pool.id]);
    await sql(app, 'UPDATE match_pool SET drawn = 0, kept = 0 WHERE id = $1', [pool.id]);
    await sql(app, `UPDATE follower_position SET sequence = 0 WHERE follower = 'match' AND event_id = $1`, [
      event.id,
    ]);
    await give(1);
    expect(await drawn(pool)).toMatchObject({ drawn: before.drawn, left: 0 });
    const again = (await drawsOf(pool)).filter(({ donationId }) =>
      draws.some((draw) => draw.donationId === donationId),
    );
    expect(again.map(({ donationId, amount }) => [donationId, amount])).toEqual(
      draws.map(({ donationId, amount }) => [donationId, amount]),
    );
  });

  it('walls get the state of the pool, and the matched amount of each donation', async () => {
    const pool = await createPool(admin, event.id, { matcherName: 'Miller', cap: 5_000 });
    const wall = await WallClient.connect(app.url);
    await wall.join(event.id);
    const donation = await give(1_000, { donorName: 'Ann' });
    const hidden = await give(2_000, { isAmountHidden: true });
    await untilMatched(app);
    const pools = () =>
      wall.received.filter(({ topic }) => topic === 'match.changed').map(({ body }) => body);
    await until(() => pools().some(({ drawn: sum }) => sum === 3_000), 'the pool');
    expect(pools().at(-1)).toMatchObject({
      poolId: pool.id,
      eventId: event.id,
      name: 'Double your donation',
      matcher: 'Miller',
      ratio: 10_000,
      cap: 5_000,
      drawn: 3_000,
      kept: 0,
      left: 2_000,
      settled: 0,
      status: 'open',
      sequence: expect.any(Number),
    });
    const matched = (id: string) =>
      wall.donations.filter(({ body }) => body.id === id).map(({ body }) => body.matched);
    await until(() => matched(donation.id).includes(1_000), 'the matched amount');
    expect(matched(hidden.id).every((amount) => amount === undefined)).toBe(true);
    const places = wall.received
      .filter(({ topic }) => topic !== 'event.totals')
      .map(({ body }) => body.sequence);
    expect(places).toEqual(places.map((_, index) => (places[0] ?? 0) + index));
    const snapshot = await wall.join({ eventId: event.id, since: 0 });
    expect(JSON.stringify(snapshot)).not.toContain('error');
    wall.close();
  });
});

describe('pledges and match pools', () => {
  const pledge = (amount: number, fields: object = {}) => give(amount, { type: 'pledge', ...fields });
  const fulfil = (id: string) => staff.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);

  it('a pledge draws when it is paid, if the pool is open then', async () => {
    const pool = await createPool(admin, event.id);
    const [early, late] = [await pledge(1_000), await pledge(2_000)];
    expect(await drawn(pool)).toMatchObject({ drawn: 0, kept: 0 });
    await fulfil(early.id);
    expect(await drawn(pool)).toMatchObject({ drawn: 1_000 });
    await step(pool, 'end').expect(200);
    await fulfil(late.id);
    expect(await drawn(pool)).toMatchObject({ drawn: 1_000 });
  });

  it('a pool that is opened in the middle of a paddle raise keeps money for the pledges after that', async () => {
    const round = (await staff.post('/pledge-rounds', { amount: 2_000 }).expect(201)).body as { id: string };
    await pledge(2_000, { roundId: round.id, paddle: '1' });
    const pool = await createPool(admin, event.id, { pledges: 'keep', cap: 5_000 });
    const kept = await pledge(2_000, { roundId: round.id, paddle: '2' });
    const withdrawn = await pledge(2_000, { roundId: round.id, paddle: '3' });
    const partly = await pledge(2_000, { roundId: round.id, paddle: '4' });
    expect(await drawn(pool)).toMatchObject({ drawn: 0, kept: 5_000, left: 0 });
    await fulfil(kept.id);
    await fulfil(partly.id);
    expect(await drawn(pool)).toMatchObject({ drawn: 3_000, kept: 2_000 });
    await staff.post(`/donations/${withdrawn.id}/undo`).expect(200);
    expect(await app.app.get(MatchSchedule, { strict: false }).releaseKept()).toBe(1);
    expect(await drawn(pool)).toMatchObject({ drawn: 3_000, kept: 0, left: 2_000 });
  });

  it('kept money of a pledge that is not paid in time is released', async () => {
    const pool = await createPool(admin, event.id, { pledges: 'keep', keepDays: 1 });
    const late = await pledge(2_000);
    expect(await drawn(pool)).toMatchObject({ kept: 2_000 });
    await sql(app, `UPDATE match_draw SET given_at = now() - interval '25 hours' WHERE donation_id = $1`, [
      late.id,
    ]);
    await app.app.get(MatchSchedule, { strict: false }).releaseKept();
    expect(await drawn(pool)).toMatchObject({ kept: 0 });
    await fulfil(late.id);
    expect(await drawn(pool)).toMatchObject({ drawn: 0 });
  });
});

describe('the payment of a matcher', () => {
  it('a payment of the matcher is a donation that draws from no pool, and lowers the due sum', async () => {
    const pool = await createPool(admin, event.id, { matcherName: 'Miller', matcherEmail: 'm@example.org' });
    await give(3_000);
    await drawn(pool);
    await step(pool, 'end').expect(200);
    const { body } = await step(pool, 'settle').expect(409);
    expect(body).toMatchObject({ code: 'MATCH_POOL_UNPAID' });
    const key = randomUUID();
    const pay = () =>
      step(pool, 'settlements', { type: 'bank_transfer', amount: 2_000, note: 'Statement 12' }).set(
        'Idempotency-Key',
        key,
      );
    const paid = (await pay().expect(201)).body as DonationBody;
    expect(paid).toMatchObject({ matchPoolId: pool.id, donorName: 'Miller', amount: 2_000 });
    expect((await pay().expect(201)).body).toMatchObject({ id: paid.id });
    const rest = await giveAsAdmin({ amount: 1_000 });
    await step(pool, 'settlements', { donationId: rest.id }).expect(201);
    expect((await step(pool, 'settlements', { donationId: rest.id }).expect(409)).body).toMatchObject({
      code: 'MATCH_SETTLEMENT_BOUND',
    });
    expect(await drawn(pool)).toMatchObject({ drawn: 3_000, settled: 3_000, due: 0, overpaid: 0 });
    expect(await publicPools()).toMatchObject([{ settled: 3_000 }]);
    const list = await admin.get(`/match-pools/${pool.id}/settlements`).expect(200);
    expect(list.body).toMatchObject({
      data: [{ donationId: rest.id }, { donationId: paid.id, amount: 2_000 }],
    });
    expect((await step(pool, 'settle').expect(200)).body).toMatchObject({ status: 'settled' });
  });

  it('a refund after the settlement shows the overpaid sum and opens a review item until it is returned', async () => {
    const pool = await createPool(admin, event.id);
    const donation = await give(3_000);
    await drawn(pool);
    await step(pool, 'end').expect(200);
    const paid = (await step(pool, 'settlements', { type: 'check', amount: 3_000 }).expect(201))
      .body as DonationBody;
    await drawn(pool);
    await step(pool, 'settle').expect(200);
    await refund(donation.id, { amount: 1_000 });
    expect(await drawn(pool)).toMatchObject({ drawn: 2_000, overpaid: 1_000, status: 'settled' });
    const items = async () =>
      sql(
        app,
        `SELECT subject, detail FROM review_item WHERE kind = 'match_overpaid' AND resolved_at IS NULL AND subject = $1`,
        [pool.id],
      );
    expect(await items()).toEqual([{ subject: pool.id, detail: { overpaid: 1_000, currency: 'eur' } }]);
    await refund(paid.id, { amount: 1_000 });
    expect(await drawn(pool)).toMatchObject({ settled: 2_000, overpaid: 0 });
    expect(await items()).toEqual([]);
  });

  it('a donation that becomes the payment of a matcher releases its draw', async () => {
    const pool = await createPool(admin, event.id);
    const donation = await giveAsAdmin({ amount: 3_000 });
    expect(await drawn(pool)).toMatchObject({ drawn: 3_000 });
    await step(pool, 'settlements', { donationId: donation.id }).expect(201);
    expect(await drawn(pool)).toMatchObject({ drawn: 0, settled: 3_000 });
    const history = await admin.get(`/donations/${donation.id}/history`).expect(200);
    expect(JSON.stringify(history.body)).toContain('match_settlement');
  });

  it('only a completed donation of the same event can be a payment', async () => {
    const pool = await createPool(admin, event.id);
    const other = await createEvent(app, admin.token);
    const elsewhere = (
      await admin.post('/donations', { eventId: other.id, type: 'cash', amount: 100 }).expect(201)
    ).body as DonationBody;
    const open = await give(100, { type: 'pledge' });
    for (const { id } of [elsewhere, open]) {
      const { body } = await step(pool, 'settlements', { donationId: id }).expect(409);
      expect(body).toMatchObject({ code: 'MATCH_SETTLEMENT_UNFIT' });
    }
    expect((await step(pool, 'settlements', {}).expect(400)).body).toMatchObject({
      fields: [
        { field: 'type', rule: 'required' },
        { field: 'amount', rule: 'required' },
      ],
    });
  });
});

describe('a match pool', () => {
  it('refuses contradicting and impossible terms, and names the field', async () => {
    const draft = { eventId: event.id, name: 'Double', cap: 1_000, remainder: 'not_given' };
    const wrong: [field: string, fields: object][] = [
      ['cap', { cap: 0 }],
      ['ratio', { ratio: 0 }],
      ['ratio', { ratio: 100_001 }],
      ['perGiftCap', { perGiftCap: 1_001 }],
      ['minGift', { minGift: 1_001 }],
      ['perDonorCap', { perDonorCap: 1_001 }],
      ['closesAt', { opensAt: '2026-11-28T20:00:00Z', closesAt: '2026-11-28T20:00:00Z' }],
      ['currency', { currency: 'usd' }],
      ['remainder', { remainder: undefined }],
      ['remainder', { remainder: 'perhaps' }],
      ['kinds', { kinds: [] }],
      ['kinds', { kinds: ['cash', 'cash'] }],
      ['url', { url: 'http://example.org' }],
      ['logo', { logo: 'picture' }],
      ['keepDays', { keepDays: 91 }],
      ['graceMinutes', { graceMinutes: 2_881 }],
    ];
    for (const [field, fields] of wrong) {
      const { body } = await admin.post('/match-pools', { ...draft, ...fields }).expect(400);
      expect(body).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field }] });
    }
    const archived = await createEvent(app, admin.token);
    await admin.patch(`/events/${archived.id}`, { status: 'archived' }).expect(200);
    const { body } = await admin.post('/match-pools', { ...draft, eventId: archived.id }).expect(400);
    expect(body).toMatchObject({ fields: [{ field: 'eventId' }] });
    await admin.get(`/match-pools/${randomUUID()}`).expect(404);
    await admin.get('/match-pools/no-id').expect(404);
  });

  it('may change only in terms that hurt no donor while it is open, and only from its present version', async () => {
    const pool = await createPool(admin, event.id, { cap: 10_000, closesAt: '2099-01-01T00:00:00Z' });
    await give(2_000);
    await drawn(pool);
    for (const change of [
      { ratio: 5_000 },
      { perGiftCap: 100 },
      { minGift: 100 },
      { kinds: ['cash'] },
      { remainder: 'given_anyway' },
      { closesAt: '2098-01-01T00:00:00Z' },
    ])
      expect((await patch(pool, change).expect(409)).body).toMatchObject({ code: 'MATCH_POOL_RUNNING' });
    expect((await patch(pool, { cap: 1_999 }).expect(400)).body).toMatchObject({
      fields: [{ field: 'cap' }],
    });
    const changed = (await patch(pool, { cap: 2_000, name: 'Last call', closesAt: null }).expect(200))
      .body as PoolBody;
    expect(changed).toMatchObject({ cap: 2_000, name: 'Last call', left: 0, version: pool.version + 1 });
    expect((await patch(pool, { name: 'Stale' }).expect(409)).body).toMatchObject({
      code: 'MATCH_POOL_CHANGED',
    });
    await step(pool, 'end').expect(200);
    const ended = await poolNow(pool.id);
    expect((await patch(ended, { cap: 3_000 }).expect(409)).body).toMatchObject({ code: 'MATCH_POOL_OVER' });
    await patch(ended, { dueOn: '2026-12-31' }).expect(200);
  });

  it('takes each step only in a fitting state, and draws keep it from being cancelled or deleted', async () => {
    const draft = await createPool(admin, event.id, {}, false);
    expect((await step(draft, 'pause').expect(409)).body).toMatchObject({ code: 'MATCH_POOL_STATUS' });
    expect(await publicPools()).toEqual([]);
    expect((await admin.delete(`/match-pools/${draft.id}`).expect(200)).body).toEqual({
      id: draft.id,
      deleted: true,
    });
    const pool = await createPool(admin, event.id);
    await give(100);
    await drawn(pool);
    expect((await step(pool, 'cancel').expect(409)).body).toMatchObject({ code: 'MATCH_POOL_HAS_DRAWS' });
    expect((await admin.delete(`/match-pools/${pool.id}`).expect(409)).body).toMatchObject({
      code: 'MATCH_POOL_HAS_DRAWS',
    });
    const unused = await createPool(admin, event.id);
    expect((await step(unused, 'cancel').expect(200)).body).toMatchObject({ status: 'cancelled' });
    expect((await publicPools()).map(({ id }) => id)).toEqual([pool.id]);
  });

  it('opens and ends at its times, and ends after the grace time when it is used up', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const pool = await createPool(admin, event.id, { opensAt: later, cap: 500, graceMinutes: 1 });
    expect(pool.status).toBe('scheduled');
    await sql(app, `UPDATE match_pool SET opens_at = now() - interval '1 minute' WHERE id = $1`, [pool.id]);
    await app.app.get(MatchSchedule, { strict: false }).advance();
    expect(await poolNow(pool.id)).toMatchObject({ status: 'open' });
    await give(500);
    expect(await drawn(pool)).toMatchObject({ left: 0, status: 'open' });
    await sql(app, `UPDATE match_pool SET used_up_at = now() - interval '2 minutes' WHERE id = $1`, [
      pool.id,
    ]);
    await app.app.get(MatchSchedule, { strict: false }).advance();
    expect(await poolNow(pool.id)).toMatchObject({ status: 'ended' });
    const audit = await sql<{ action: string }>(
      app,
      'SELECT action FROM audit_entry WHERE subject_id = $1 ORDER BY id',
      [pool.id],
    );
    expect(audit.map(({ action }) => action)).toEqual([
      'match_pool.create',
      'match_pool.schedule',
      'match_pool.open',
      'match_pool.end',
    ]);
  });

  it('fixes the currency of its event from its opening on; a draft follows the event', async () => {
    const own = await createEvent(app, admin.token);
    const pool = await createPool(admin, own.id, {}, false);
    await admin.patch(`/events/${own.id}`, { currency: 'usd' }).expect(200);
    expect(await poolNow(pool.id)).toMatchObject({ currency: 'usd' });
    await step(pool, 'open').expect(200);
    const { body } = await admin.patch(`/events/${own.id}`, { currency: 'eur' }).expect(409);
    expect(body).toMatchObject({ code: 'EVENT_CURRENCY_FIXED' });
  });

  it('a pool is on the donate page with its rest and its terms, also when it is used up', async () => {
    const pool = await createPool(admin, event.id, {
      cap: 10_000,
      perGiftCap: 5_000,
      remainder: 'given_anyway',
    });
    const page = async () => (await app.http.get(`/donate/${event.slug}`).expect(200)).text;
    expect(await page()).toMatch(
      /Donations are doubled now: €100 of €100 are left\. Up to €50 for a donation\./,
    );
    expect(await page()).toContain(
      'The supporter gives the whole sum in any case; your donation does not change it.',
    );
    await give(5_000);
    await give(5_000);
    await drawn(pool);
    expect(await page()).toContain('The fund of €100 has been used up. Thank you.');
    expect((await app.http.get(`/wall/${event.slug}`).expect(200)).text).toContain('id="match-sum"');
  });

  it('shows an anonymous matcher only to the team', async () => {
    await createPool(admin, event.id, {
      matcherName: 'Miller',
      matcherEmail: 'miller@example.org',
      isMatcherAnonymous: true,
      url: 'https://miller.example.org',
    });
    const answer = await app.http.get(`/events/${event.slug}/match`).expect(200);
    expect(answer.body).toMatchObject([{ matcher: 'A supporter' }]);
    expect(answer.text).not.toMatch(/miller/i);
  });
});
