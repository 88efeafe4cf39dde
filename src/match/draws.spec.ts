import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { draws, eligibleOf, type Gift, type HeldDraw, inOrder, type Pool } from './draws.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const OPENS = Date.parse('2026-11-28T19:00:00Z');
const CLOSES = Date.parse('2026-11-28T22:00:00Z');

const gift = (change: Partial<Gift> = {}): Gift => {
  const at = change.at ?? OPENS + MINUTE;
  return {
    eventId: 'gala',
    currency: 'eur',
    type: 'card',
    state: 'given',
    amount: 5_000n,
    refunded: 0n,
    coveredFee: 0n,
    isSettlement: false,
    donorKey: 'ann',
    at,
    arrivedAt: at,
    ...change,
  };
};

const pool = (change: Partial<Pool> = {}): Pool => ({
  id: 'a',
  eventId: 'gala',
  currency: 'eur',
  priority: 100,
  opensAt: OPENS,
  kinds: null,
  matcherKey: 'matcher',
  ratio: 10_000n,
  perGiftCap: null,
  minGift: null,
  perDonorCap: null,
  left: 1_000_000n,
  donorDrew: 0n,
  openTimes: [{ from: OPENS, to: null }],
  endedAt: null,
  graceMs: 120 * MINUTE,
  keepMs: null,
  isSettled: false,
  ...change,
});

const held = (change: Partial<HeldDraw> = {}): HeldDraw => ({
  poolId: 'a',
  amount: 5_000n,
  kept: 0n,
  base: 5_000n,
  state: 'drawn',
  at: OPENS + MINUTE,
  ...change,
});

const amounts = (...given: Parameters<typeof draws>) =>
  Object.fromEntries(draws(...given).map(({ poolId, amount }) => [poolId, amount]));

describe('draws of a new donation', () => {
  it('doubles a donation at 1:1', () => {
    expect(draws(gift(), [pool()], [])).toEqual([
      { poolId: 'a', amount: 5_000n, kept: 0n, base: 5_000n, state: 'drawn' },
    ]);
  });

  it('gives the last money of the pool to the donation that empties it', () => {
    expect(draws(gift(), [pool({ left: 2_000n })], [])).toEqual([
      { poolId: 'a', amount: 2_000n, kept: 0n, base: 5_000n, state: 'drawn' },
    ]);
  });

  it('remembers a donation that came when the pool was empty', () => {
    expect(draws(gift(), [pool({ left: 0n })], [])).toEqual([
      { poolId: 'a', amount: 0n, kept: 0n, base: 5_000n, state: 'drawn' },
    ]);
  });

  it.each<[string, Partial<Gift>]>([
    ['that is not paid', { state: 'gone' }],
    ['of another event', { eventId: 'other' }],
    ['in another currency, such as yen', { currency: 'jpy' }],
    ['that is itself the payment of a matcher', { isSettlement: true }],
    ['of the matcher', { donorKey: 'matcher' }],
    ['given before the pool opened', { at: OPENS - 1 }],
    ['given in the moment in which the pool closed', { at: CLOSES }],
    ['that arrives after the grace time', { arrivedAt: CLOSES + 120 * MINUTE }],
  ])('does not match a donation %s', (_, change) => {
    const closed = pool({ openTimes: [{ from: OPENS, to: CLOSES }], endedAt: CLOSES });
    expect(draws(gift(), [closed], [])).toHaveLength(1);
    expect(draws(gift(change), [closed], [])).toEqual([]);
  });

  it('matches a donation without an e-mail address if the pool has no address of its matcher', () => {
    expect(amounts(gift({ donorKey: null }), [pool({ matcherKey: null })], [])).toEqual({ a: 5_000n });
  });

  it('matches only the types of the pool', () => {
    const offline = pool({ kinds: ['cash', 'check'] });
    expect(amounts(gift({ type: 'cash' }), [offline], [])).toEqual({ a: 5_000n });
    expect(amounts(gift(), [offline], [])).toEqual({});
  });

  it('matches cash from 20:10 that arrives at 23:00, an hour after the end, within the grace time', () => {
    const ended = pool({ openTimes: [{ from: OPENS, to: CLOSES }], endedAt: CLOSES });
    const cash = gift({ type: 'cash', at: OPENS + 70 * MINUTE, arrivedAt: CLOSES + 60 * MINUTE });
    expect(amounts(cash, [ended], [])).toEqual({ a: 5_000n });
    expect(amounts({ ...cash, arrivedAt: CLOSES + 119 * MINUTE }, [ended], [])).toEqual({ a: 5_000n });
    expect(amounts(cash, [{ ...ended, isSettled: true }], [])).toEqual({});
  });

  it('does not match a donation given while the pool was paused', () => {
    const pause = pool({
      openTimes: [
        { from: OPENS, to: OPENS + 10 * MINUTE },
        { from: OPENS + 20 * MINUTE, to: null },
      ],
    });
    const at = (minutes: number) => amounts(gift({ at: OPENS + minutes * MINUTE }), [pause], []);
    expect(at(9)).toEqual({ a: 5_000n });
    expect(at(10)).toEqual({});
    expect(at(19)).toEqual({});
    expect(at(20)).toEqual({ a: 5_000n });
  });

  it('keeps its window over midnight at the end of summer time', () => {
    // 24 October 2026 22:00 to 25 October 04:00 in Berlin: seven hours, because one hour occurs twice.
    const from = Date.parse('2026-10-24T22:00:00+02:00');
    const to = Date.parse('2026-10-25T04:00:00+01:00');
    const night = pool({ opensAt: from, openTimes: [{ from, to }] });
    const at = (text: string) => amounts(gift({ at: Date.parse(text) }), [night], []);
    expect(to - from).toBe(7 * 60 * MINUTE);
    expect(at('2026-10-25T02:30:00+02:00')).toEqual({ a: 5_000n });
    expect(at('2026-10-25T02:30:00+01:00')).toEqual({ a: 5_000n });
    expect(at('2026-10-25T04:00:00+01:00')).toEqual({});
  });

  it('matches neither refunds nor the part for the fee', () => {
    expect(amounts(gift({ refunded: 1_000n, coveredFee: 150n }), [pool()], [])).toEqual({ a: 3_850n });
    expect(eligibleOf(gift({ amount: 100n, refunded: 90n, coveredFee: 20n }))).toBe(0n);
  });

  it('adds nothing below the smallest donation of the pool, and everything from it on', () => {
    const least = pool({ minGift: 5_000n });
    expect(draws(gift({ amount: 4_999n }), [least], [])).toEqual([
      { poolId: 'a', amount: 0n, kept: 0n, base: 0n, state: 'drawn' },
    ]);
    expect(amounts(gift(), [least], [])).toEqual({ a: 5_000n });
    // The part for the fee and refunds do not count.
    expect(amounts(gift({ amount: 5_100n, coveredFee: 200n }), [least], [])).toEqual({ a: 0n });
  });

  it('rounds a part of a minor unit down', () => {
    expect(amounts(gift({ amount: 333n }), [pool({ ratio: 5_000n })], [])).toEqual({ a: 166n });
    expect(amounts(gift({ amount: 9_999n }), [pool({ ratio: 1n })], [])).toEqual({ a: 0n });
    expect(amounts(gift({ amount: 333n }), [pool({ ratio: 20_000n })], [])).toEqual({ a: 666n });
  });

  it('adds at most the maximum for a donation, and at most the rest of the maximum for a donor', () => {
    expect(amounts(gift(), [pool({ perGiftCap: 3_000n })], [])).toEqual({ a: 3_000n });
    expect(amounts(gift(), [pool({ perDonorCap: 7_000n, donorDrew: 4_000n })], [])).toEqual({ a: 3_000n });
    expect(amounts(gift(), [pool({ perDonorCap: 7_000n, donorDrew: 9_000n })], [])).toEqual({ a: 0n });
  });
});

describe('several pools', () => {
  const first = pool({ id: 'a', priority: 1, left: 2_000n });
  const second = pool({ id: 'b', priority: 2 });

  it('match by priority, then by opening, then by id', () => {
    const pools = [
      pool({ id: 'e', opensAt: null }),
      pool({ id: 'd', opensAt: OPENS + 1 }),
      pool({ id: 'c' }),
      pool({ id: 'b' }),
      pool({ id: 'a', priority: 101, opensAt: OPENS - 1 }),
    ];
    expect(inOrder(pools).map(({ id }) => id)).toEqual(['b', 'c', 'd', 'e', 'a']);
  });

  it('in the mode "one", a pool that runs out hands the rest of the same donation to the next', () => {
    expect(amounts(gift(), [second, first], [])).toEqual({ a: 2_000n, b: 3_000n });
    expect(amounts(gift({ amount: 2_000n }), [second, first], [])).toEqual({ a: 2_000n, b: 0n });
  });

  it('in the mode "one", counts the matched part by the ratio of each pool', () => {
    const half = pool({ id: 'a', priority: 1, ratio: 5_000n, left: 1_000n });
    expect(amounts(gift(), [half, second], [])).toEqual({ a: 1_000n, b: 3_000n });
    const all = pool({ id: 'a', priority: 1, ratio: 5_000n });
    expect(amounts(gift({ amount: 5_001n }), [all, second], [])).toEqual({ a: 2_500n, b: 0n });
  });

  it('in the mode "one", offers the part above the maximum for a donation to the next pool', () => {
    const small = pool({ id: 'a', priority: 1, perGiftCap: 1_000n });
    expect(amounts(gift(), [small, second], [])).toEqual({ a: 1_000n, b: 4_000n });
  });

  it('in the mode "all", each open pool matches the whole donation', () => {
    expect(amounts(gift(), [first, second], [], 'all')).toEqual({ a: 2_000n, b: 5_000n });
  });
});

describe('later changes of a donation', () => {
  it('change nothing if the amount stays', () => {
    expect(amounts(gift(), [pool({ left: 9_000n })], [held({ amount: 2_000n })])).toEqual({ a: 2_000n });
  });

  it('a partial refund below the draw shrinks the draw to the rest of the donation', () => {
    expect(draws(gift({ refunded: 1_000n }), [pool()], [held()])).toEqual([
      { poolId: 'a', amount: 4_000n, kept: 0n, base: 4_000n, state: 'drawn' },
    ]);
  });

  it('a partial refund above the maximum for a donation leaves the draw', () => {
    const capped = pool({ perGiftCap: 2_000n });
    expect(amounts(gift({ refunded: 2_500n }), [capped], [held({ amount: 2_000n })])).toEqual({ a: 2_000n });
    expect(amounts(gift({ refunded: 3_500n }), [capped], [held({ amount: 2_000n })])).toEqual({ a: 1_500n });
  });

  it('a partial refund never makes a draw grow', () => {
    expect(amounts(gift({ refunded: 1_000n }), [pool()], [held({ amount: 300n })])).toEqual({ a: 300n });
  });

  it('a full refund releases the draw', () => {
    expect(draws(gift({ state: 'gone', refunded: 5_000n }), [pool()], [held()])).toEqual([
      { poolId: 'a', amount: 0n, kept: 0n, base: 0n, state: 'released' },
    ]);
  });

  it('a refund takes from the latest pool first', () => {
    const pools = [pool({ id: 'b', priority: 2 }), pool({ id: 'a', priority: 1, left: 0n })];
    const before = [
      held({ poolId: 'a', amount: 3_000n, base: 5_000n }),
      held({ poolId: 'b', amount: 2_000n, base: 2_000n }),
    ];
    expect(amounts(gift({ refunded: 1_500n }), pools, before)).toEqual({ a: 3_000n, b: 500n });
    expect(amounts(gift({ refunded: 3_500n }), pools, before)).toEqual({ a: 1_500n, b: 0n });
  });

  it('a donation that becomes the payment of a matcher releases its draw', () => {
    expect(amounts(gift({ isSettlement: true }), [pool()], [held()])).toEqual({ a: 0n });
  });

  it('a dispute that is lost and then won draws again, if the pool is open then', () => {
    const lost = held({ amount: 0n, base: 0n, state: 'released' });
    expect(draws(gift(), [pool({ left: 3_000n })], [lost])).toMatchObject([
      { amount: 3_000n, state: 'drawn' },
    ]);
    const ended = pool({ openTimes: [{ from: OPENS, to: CLOSES }], endedAt: CLOSES });
    expect(amounts(gift({ arrivedAt: CLOSES + 1 }), [ended], [lost])).toEqual({ a: 0n });
  });

  it('a payment in parts draws for the new part, if the pool is open then', () => {
    const grown = gift({ amount: 8_000n, arrivedAt: OPENS + DAY });
    expect(amounts(grown, [pool()], [held()])).toEqual({ a: 8_000n });
    expect(amounts(grown, [pool({ left: 1_000n })], [held()])).toEqual({ a: 6_000n });
    expect(amounts(grown, [pool({ openTimes: [{ from: OPENS, to: OPENS + DAY }] })], [held()])).toEqual({
      a: 5_000n,
    });
  });

  it('never fills up an earlier donation that the pool did not match', () => {
    const unmatched = held({ amount: 1_000n, base: 5_000n });
    expect(amounts(gift(), [pool()], [unmatched])).toEqual({ a: 1_000n });
    // The new part draws, the old part stays as it was.
    expect(amounts(gift({ amount: 5_500n }), [pool()], [unmatched])).toEqual({ a: 1_500n });
    // Not even if the mode changed since: the second pool was offered nothing then.
    const second = pool({ id: 'b', priority: 200 });
    const before = [held(), held({ poolId: 'b', amount: 0n, base: 0n })];
    expect(amounts(gift(), [pool(), second], before, 'all')).toEqual({ a: 5_000n, b: 0n });
  });

  it('a refund that empties the pool again leaves its money to later donations', () => {
    const emptied = gift({ state: 'gone' });
    const [freed] = draws(emptied, [pool({ left: 0n })], [held()]);
    expect(freed?.amount).toBe(0n);
    expect(amounts(gift({ amount: 3_000n }), [pool({ left: 5_000n })], [])).toEqual({ a: 3_000n });
  });
});

describe('pledges', () => {
  const keeps = pool({ keepMs: 30 * DAY });
  const pledge = gift({ state: 'pledged', type: 'pledge' });
  const kept = held({ amount: 0n, kept: 5_000n, state: 'kept' });

  it('draw nothing before they are paid', () => {
    expect(draws(pledge, [pool()], [])).toEqual([]);
    expect(amounts({ ...pledge, state: 'given', type: 'cash' }, [pool()], [])).toEqual({ a: 5_000n });
  });

  it('a pool that keeps money for pledges keeps it for a new pledge', () => {
    expect(draws(pledge, [{ ...keeps, left: 4_000n }], [])).toEqual([
      { poolId: 'a', amount: 0n, kept: 4_000n, base: 5_000n, state: 'kept' },
    ]);
    expect(draws(pledge, [keeps], [kept])).toEqual([
      { poolId: 'a', amount: 0n, kept: 5_000n, base: 5_000n, state: 'kept' },
    ]);
  });

  it('leave only the rest to the next pool', () => {
    const result = draws(
      pledge,
      [
        { ...keeps, left: 4_000n },
        { ...keeps, id: 'b', priority: 200 },
      ],
      [],
    );
    expect(result.map((draw) => draw.kept)).toEqual([4_000n, 1_000n]);
  });

  it('turn the kept money into a draw when they are paid, even after the end of the pool', () => {
    const ended = { ...keeps, openTimes: [{ from: OPENS, to: CLOSES }], endedAt: CLOSES, left: 0n };
    const paid = gift({ type: 'cash', at: OPENS + 29 * DAY });
    expect(draws(paid, [ended], [kept])).toEqual([
      { poolId: 'a', amount: 5_000n, kept: 0n, base: 5_000n, state: 'drawn' },
    ]);
    expect(amounts({ ...paid, amount: 9_000n }, [keeps], [kept])).toEqual({ a: 5_000n });
    expect(amounts({ ...paid, amount: 2_000n }, [keeps], [kept])).toEqual({ a: 2_000n });
  });

  it('release the kept money if they are late, withdrawn or cancelled', () => {
    const late = OPENS + MINUTE + 30 * DAY + 1;
    expect(draws({ ...pledge, arrivedAt: late }, [keeps], [kept])).toMatchObject([
      { amount: 0n, kept: 0n, state: 'released' },
    ]);
    expect(draws(gift({ type: 'cash', at: late }), [keeps], [kept])).toMatchObject([
      { amount: 0n, kept: 0n, state: 'released' },
    ]);
    expect(draws({ ...pledge, state: 'gone' }, [keeps], [kept])).toMatchObject([
      { amount: 0n, kept: 0n, state: 'released' },
    ]);
    expect(draws({ ...pledge, arrivedAt: late - 1 }, [keeps], [kept])).toMatchObject([{ kept: 5_000n }]);
  });
});

describe('for any donations and pools', () => {
  const amount = (max: number) => fc.integer({ min: 0, max }).map(BigInt);
  const maybe = (max: number) => fc.option(fc.integer({ min: 1, max }).map(BigInt), { nil: null });
  const anyPool = fc.record({
    priority: fc.integer({ min: 1, max: 3 }),
    ratio: fc.integer({ min: 1, max: 100_000 }).map(BigInt),
    perGiftCap: maybe(9_000),
    minGift: maybe(9_000),
    perDonorCap: maybe(9_000),
    donorDrew: amount(9_000),
    left: amount(30_000),
    keepMs: fc.constantFrom(null, DAY),
  });
  const anyStep = fc.record({
    amount: amount(20_000),
    refunded: amount(20_000),
    coveredFee: amount(500),
    state: fc.constantFrom('given' as const, 'gone' as const),
  });

  it('no draw exceeds the pool, the rule, or the donation', () => {
    const steps = fc.array(anyStep, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(anyPool, { minLength: 1, maxLength: 3 }),
        steps,
        fc.boolean(),
        (drawn, changes, isPledge) => {
          const pools = drawn.map((change, index) => pool({ id: String(index), ...change }));
          const left = new Map(pools.map(({ id, left: open }) => [id, open]));
          let holds: HeldDraw[] = [];
          for (const [index, change] of changes.entries()) {
            const now = gift(isPledge && index === 0 ? { ...change, state: 'pledged' } : change);
            const asked = pools.map((one) => ({ ...one, left: left.get(one.id) ?? 0n }));
            const result = draws(now, asked, holds);
            expect(draws(now, [...asked].reverse(), [...holds].reverse())).toEqual(result);
            let matched = 0n;
            for (const draw of result) {
              const { ratio, perGiftCap } = asked.find(({ id }) => id === draw.poolId)!;
              const before = holds.find(({ poolId }) => poolId === draw.poolId);
              const taken = draw.amount + draw.kept - (before?.amount ?? 0n) - (before?.kept ?? 0n);
              left.set(draw.poolId, left.get(draw.poolId)! - taken);
              expect(left.get(draw.poolId)! >= 0n).toBe(true);
              expect(draw.amount >= 0n && draw.kept >= 0n).toBe(true);
              if (perGiftCap !== null) expect(draw.amount <= perGiftCap).toBe(true);
              matched += (draw.amount * 10_000n) / ratio;
            }
            // Each part of the donation is matched once at most.
            expect(matched <= eligibleOf(now)).toBe(true);
            if (now.state === 'gone')
              expect(result.every((one) => one.amount === 0n && one.kept === 0n)).toBe(true);
            const stays = holds.filter(({ poolId }) => result.every((draw) => draw.poolId !== poolId));
            holds = [...stays, ...result.map((draw) => ({ ...draw, at: OPENS + MINUTE }))];
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
