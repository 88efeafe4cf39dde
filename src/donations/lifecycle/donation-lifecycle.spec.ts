import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  beginsAs,
  canMove,
  COUNTED,
  decide,
  DONATION_STATUSES,
  type DonationState,
  type DonationStatus,
  type LifecycleFact,
  NEXT,
} from './donation-lifecycle.js';

const state = (fields: Partial<DonationState> = {}): DonationState => ({
  status: 'PENDING',
  paid: false,
  amount: 1000n,
  refunded: 0n,
  ...fields,
});
const completed = (fields: Partial<DonationState> = {}) =>
  state({ status: 'COMPLETED', paid: true, ...fields });

describe('the donation state table', () => {
  it('contains exactly the agreed transitions', () => {
    expect(NEXT).toEqual({
      PENDING: ['COMPLETED', 'FAILED', 'CANCELLED'],
      FAILED: ['COMPLETED', 'CANCELLED'],
      CANCELLED: ['COMPLETED'],
      COMPLETED: ['REFUNDED', 'CANCELLED'],
      REFUNDED: ['COMPLETED'],
    });
  });

  it('lets a cancelled donation complete only if it was never paid', () => {
    expect(canMove('CANCELLED', 'COMPLETED', false)).toBe(true);
    expect(canMove('CANCELLED', 'COMPLETED', true)).toBe(false);
  });

  it('has no transition to the same state or back to PENDING', () => {
    for (const status of DONATION_STATUSES) {
      expect(canMove(status, status, false)).toBe(false);
      expect(canMove(status, 'PENDING', false)).toBe(false);
    }
  });
});

describe('the donation lifecycle', () => {
  it.each([
    ['opened', 'PENDING'],
    ['pledged', 'PENDING'],
    ['received', 'COMPLETED'],
  ] as const)('starts a donation that is %s as %s', (beginning, status) => {
    expect(beginsAs(beginning)).toBe(status);
  });

  it('throws for a beginning without an initial state', () => {
    const moves = [{ from: 'PENDING', to: 'COMPLETED', by: ['paid'] }] as const;
    expect(() => beginsAs('opened', moves)).toThrow(
      'The state table has no initial state for a donation that is opened',
    );
  });

  it('counts a donation in the totals only while it is COMPLETED', () => {
    expect(COUNTED).toBe('COMPLETED');
  });

  it('completes a pledge when it is paid', () => {
    expect(decide(state(), { kind: 'fulfilled' }).path).toEqual(['COMPLETED']);
    expect(decide(state({ status: 'FAILED' }), { kind: 'fulfilled' }).path).toEqual([]);
  });

  it('cancels a donation by correction only if it was booked', () => {
    expect(decide(completed(), { kind: 'corrected' })).toEqual({
      path: ['CANCELLED'],
      next: completed({ status: 'CANCELLED' }),
    });
    expect(decide(state(), { kind: 'corrected' })).toEqual({ path: [], next: state() });
  });
});

describe('a payment captured in several parts', () => {
  const grown = (amount: bigint) => ({ kind: 'grown', amount }) as const;

  it('sets the amount to the sum received and keeps the refunded amount', () => {
    expect(decide(completed({ refunded: 300n }), grown(1500n))).toEqual({
      path: [],
      next: completed({ amount: 1500n, refunded: 300n }),
    });
  });

  it('reopens a refunded donation when another part arrives', () => {
    expect(decide(completed({ status: 'REFUNDED', refunded: 1000n }), grown(1001n))).toEqual({
      path: ['COMPLETED'],
      next: completed({ amount: 1001n, refunded: 1000n }),
    });
  });

  it('never lowers the amount, and ignores parts before the payment succeeds', () => {
    for (const before of [completed(), state()])
      for (const amount of [999n, 1000n])
        expect(decide(before, grown(amount))).toEqual({ path: [], next: before });
    expect(decide(state(), grown(1500n))).toEqual({ path: [], next: state() });
  });
});

describe('a successful payment', () => {
  it.each<DonationStatus>(['PENDING', 'FAILED', 'CANCELLED'])('completes a donation that is %s', (status) => {
    expect(decide(state({ status }), { kind: 'paid', amount: 1000n, returned: 0n })).toEqual({
      path: ['COMPLETED'],
      next: completed(),
    });
  });

  it('sets the amount to the sum received', () => {
    const { next } = decide(state(), { kind: 'paid', amount: 250n, returned: 0n });
    expect(next).toEqual(completed({ amount: 250n }));
  });

  it('passes through COMPLETED to REFUNDED if the full refund is already known', () => {
    expect(decide(state(), { kind: 'paid', amount: 1000n, returned: 1200n })).toEqual({
      path: ['COMPLETED', 'REFUNDED'],
      next: completed({ status: 'REFUNDED', refunded: 1000n }),
    });
    expect(decide(state(), { kind: 'paid', amount: 1000n, returned: 400n })).toEqual({
      path: ['COMPLETED'],
      next: completed({ refunded: 400n }),
    });
  });

  it.each<DonationStatus>(['COMPLETED', 'REFUNDED', 'CANCELLED'])(
    'ignores a successful payment that was already applied (%s)',
    (status) => {
      const before = state({ status, paid: true });
      expect(decide(before, { kind: 'paid', amount: 9n, returned: 0n })).toEqual({ path: [], next: before });
    },
  );
});

describe('a failed or cancelled payment', () => {
  it('fails or cancels only an open donation', () => {
    expect(decide(state(), { kind: 'failed' }).path).toEqual(['FAILED']);
    expect(decide(state(), { kind: 'cancelled' }).path).toEqual(['CANCELLED']);
    expect(decide(state({ status: 'FAILED' }), { kind: 'cancelled' }).path).toEqual(['CANCELLED']);
  });

  it.each<DonationStatus>(['COMPLETED', 'REFUNDED', 'CANCELLED'])(
    'does not change a donation that is %s',
    (status) => {
      const before = state({ status, paid: status !== 'CANCELLED' });
      for (const kind of ['failed', 'cancelled'] as const)
        expect(decide(before, { kind })).toEqual({ path: [], next: before });
    },
  );
});

describe('a refund', () => {
  it('makes a donation REFUNDED only when the refunds reach its amount', () => {
    expect(decide(completed(), { kind: 'returned', returned: 999n })).toEqual({
      path: [],
      next: completed({ refunded: 999n }),
    });
    expect(decide(completed(), { kind: 'returned', returned: 1000n }).path).toEqual(['REFUNDED']);
  });

  it('counts refunds up to the amount of the donation', () => {
    expect(decide(completed(), { kind: 'returned', returned: 5000n }).next.refunded).toBe(1000n);
  });

  it('returns a donation to COMPLETED when the refund fails', () => {
    const refunded = completed({ status: 'REFUNDED', refunded: 1000n });
    expect(decide(refunded, { kind: 'returned', returned: 300n })).toEqual({
      path: ['COMPLETED'],
      next: completed({ refunded: 300n }),
    });
  });

  it('ignores a refund until the payment has succeeded', () => {
    for (const status of ['PENDING', 'FAILED', 'CANCELLED'] as const)
      expect(decide(state({ status }), { kind: 'returned', returned: 1000n })).toEqual({
        path: [],
        next: state({ status }),
      });
  });

  it('counts a refund of a corrected donation, which stays CANCELLED', () => {
    const corrected = state({ status: 'CANCELLED', paid: true });
    expect(decide(corrected, { kind: 'returned', returned: 1000n })).toEqual({
      path: [],
      next: { ...corrected, refunded: 1000n },
    });
  });
});

describe('the state table for any sequence of facts', () => {
  const status = fc.constantFrom(...DONATION_STATUSES);
  const sum = fc.bigInt({ min: 1n, max: 2000n });
  const anyState = fc
    .record({ status, paid: fc.boolean(), amount: sum, refunded: fc.bigInt({ min: 0n, max: 2000n }) })
    .filter(({ status, paid, amount, refunded }) => {
      if (status === 'PENDING' || status === 'FAILED') return !paid && refunded === 0n;
      return status === 'REFUNDED' ? paid && refunded === amount : refunded <= amount;
    });
  const fact: fc.Arbitrary<LifecycleFact> = fc.oneof(
    fc.record({
      kind: fc.constant('paid' as const),
      amount: sum,
      returned: fc.bigInt({ min: 0n, max: 2000n }),
    }),
    fc.record({ kind: fc.constantFrom('failed' as const, 'cancelled' as const) }),
    fc.record({ kind: fc.constant('returned' as const), returned: fc.bigInt({ min: 0n, max: 2000n }) }),
  );

  it('makes only legal transitions and never refunds more than the amount', () => {
    fc.assert(
      fc.property(anyState, fact, (before, given) => {
        const { path, next } = decide(before, given);
        let from = before.status;
        for (const to of path) {
          expect(canMove(from, to, from === 'CANCELLED' && before.paid)).toBe(true);
          from = to;
        }
        expect(next.status).toBe(from);
        expect(next.refunded <= next.amount).toBe(true);
        if (next.status === 'REFUNDED') expect(next.refunded).toBe(next.amount);
        if (before.paid) expect(next.paid).toBe(true);
      }),
    );
  });

  it('ignores a fact that was already applied', () => {
    fc.assert(
      fc.property(anyState, fact, (before, given) => {
        const { next } = decide(before, given);
        expect(decide(next, given)).toEqual({ path: [], next });
      }),
    );
  });

  it('reaches the same state for every order of a payment’s facts', () => {
    // A refund that arrives before the payment succeeds is only stored. The success then applies the sum of the refunds.
    const facts = fc.shuffledSubarray(['failed', 'cancelled', 'paid', 'refund'] as const, {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(facts, fc.bigInt({ min: 0n, max: 1500n }), (order, refund) => {
        let present = state();
        let returned = 0n;
        for (const given of order) {
          if (given === 'refund') {
            returned = refund;
            present = decide(present, { kind: 'returned', returned }).next;
          } else if (given === 'paid')
            present = decide(present, { kind: 'paid', amount: 1000n, returned }).next;
          else present = decide(present, { kind: given }).next;
        }
        expect(present).toEqual(
          refund >= 1000n
            ? completed({ status: 'REFUNDED', refunded: 1000n })
            : completed({ refunded: refund }),
        );
      }),
    );
  });
});
