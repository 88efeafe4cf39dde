import { describe, expect, it } from '@jest/globals';
import { type ExplainRow, explanationOf } from './explanation.js';

const row = (fields: Partial<ExplainRow>): ExplainRow => ({
  part: 'sum',
  currency: 'eur',
  type: 'cash',
  status: 'COMPLETED',
  how: null,
  count: 1,
  amount: 1000n,
  returns: 0,
  returned: 0n,
  ...fields,
});
const total = (amount: bigint, count = 1) => row({ part: 'total', type: null, status: null, amount, count });

describe('explanationOf()', () => {
  it('returns a zero total and no lines without donations', () => {
    expect(explanationOf([], 'eur', 'e')).toEqual({
      currency: 'eur',
      total: 0n,
      donorCount: 0,
      lines: [],
      underDispute: {
        count: 0,
        amount: 0n,
        filter: { eventId: 'e', currency: 'eur', status: 'COMPLETED', disputed: 'open' },
      },
    });
  });

  it('splits the refunded amount into refunds and lost disputes', () => {
    const { lines, total: raised } = explanationOf(
      [
        total(3500n, 3),
        row({ type: 'card', count: 4, amount: 5000n, returns: 3, returned: 1500n }),
        // Three donations have refunds. One of them lost its full amount in a dispute, another lost a part.
        row({ part: 'lost', type: 'card', count: 2, amount: 700n, returns: 1 }),
      ],
      'eur',
      undefined,
    );
    const filter = { currency: 'eur', status: 'COMPLETED', type: 'card' };
    expect(lines).toEqual([
      { kind: 'counted', type: 'card', count: 4, amount: 5000n, inTotal: true, filter },
      {
        kind: 'refunded',
        type: 'card',
        count: 2,
        amount: -800n,
        inTotal: true,
        filter: { ...filter, refunded: true },
      },
      {
        kind: 'disputed',
        type: 'card',
        count: 2,
        amount: -700n,
        inTotal: true,
        filter: { ...filter, disputed: 'lost' },
      },
    ]);
    expect(lines.reduce((sum, { amount }) => sum + amount, 0n)).toBe(raised);
  });

  it.each([
    ['PENDING', 'pledge', 'pledged'],
    ['PENDING', 'card', 'pending'],
    ['FAILED', 'card', 'failed'],
  ] as const)('shows %s donations by %s as %s, outside the total', (status, type, kind) => {
    expect(explanationOf([row({ status, type })], 'eur', undefined).lines).toEqual([
      { kind, type, count: 1, amount: 1000n, inTotal: false, filter: { currency: 'eur', status, type } },
    ]);
  });

  it.each([
    ['unpaid', 'cancelled'],
    ['corrected', 'corrected'],
    ['undone', 'undone'],
    ['paid_online', 'pledge_paid'],
  ] as const)('distinguishes kinds of cancellation: %s', (how, kind) => {
    const [line] = explanationOf(
      [row({ part: 'cancelled', status: 'CANCELLED', how })],
      'eur',
      undefined,
    ).lines;
    expect(line).toMatchObject({ kind, inTotal: false, filter: { status: 'CANCELLED', cancelledAs: how } });
  });

  it('shows full refunds and full dispute losses on separate lines outside the total', () => {
    const { lines } = explanationOf(
      [
        row({ status: 'REFUNDED', count: 2, amount: 2000n, returns: 2, returned: 2000n }),
        row({ part: 'lost', status: 'REFUNDED', count: 1, amount: 1000n, returns: 1 }),
      ],
      'eur',
      undefined,
    );
    expect(lines.map(({ kind, count, amount, inTotal }) => [kind, count, amount, inTotal])).toEqual([
      ['disputed', 1, 1000n, false],
      ['refunded_whole', 1, 1000n, false],
    ]);
  });

  it('never adds different currencies, and omits dispute losses of a cancelled donation', () => {
    const rows = [
      row({ currency: 'usd' }),
      row({ part: 'lost', status: 'CANCELLED' }),
      row({ status: 'CANCELLED' }),
      row({ part: 'disputed', type: null, status: null, count: 1, amount: 300n }),
    ];
    const { lines, underDispute } = explanationOf(rows, 'eur', undefined);
    expect(lines).toEqual([]);
    expect(underDispute).toMatchObject({ count: 1, amount: 300n });
  });

  it('lists the lines of the total first', () => {
    const { lines } = explanationOf(
      [row({ status: 'FAILED' }), row({ type: 'check' }), row({ status: 'PENDING', type: 'pledge' })],
      'eur',
      undefined,
    );
    expect(lines.map(({ kind }) => kind)).toEqual(['counted', 'pledged', 'failed']);
  });
});
