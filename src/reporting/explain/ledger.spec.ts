import { describe, expect, it } from '@jest/globals';
import { explanationOf, type ExplainRow } from './explanation.js';
import { type FeesRow, ledgerOf } from './ledger.js';

const row = (fields: Partial<ExplainRow>): ExplainRow => ({
  part: 'sum',
  currency: 'gbp',
  type: 'card',
  status: 'COMPLETED',
  how: null,
  count: 1,
  amount: 5000n,
  returns: 0,
  returned: 0n,
  ...fields,
});
const FEES: FeesRow = {
  ...{ currency: 'gbp', known: 10, unknown: 0, elsewhere: 0, fees: 575n },
  ...{ disputes: 0, disputeFees: 0n },
};
const ledger = (explained: readonly ExplainRow[], fees: Partial<FeesRow> = {}) =>
  ledgerOf({ explained, fees: [{ ...FEES, ...fees }] }, explanationOf(explained, 'gbp', 'e'));
const ROWS = [
  row({ part: 'total', type: null, status: null, amount: 87_050n }),
  row({ count: 10, amount: 89_050n, returns: 1, returned: 2000n }),
  row({ status: 'REFUNDED', amount: 3000n, returns: 1, returned: 3000n }),
  row({ type: 'pledge', status: 'PENDING', amount: 7000n }),
  row({ currency: 'eur', amount: 999n }),
];

describe('ledgerOf()', () => {
  it('subtracts full and partial refunds from the money received, then the fees from the total', () => {
    const found = ledger(ROWS);
    expect(found.received.amount - found.refunded.amount - found.lost.amount).toBe(found.total);
    expect(found).toMatchObject({
      received: { count: 11, amount: 92_050n },
      refunded: { count: 2, amount: 5000n },
      fees: { count: 10, amount: 575n },
      bank: 86_475n,
      pledged: { count: 1, amount: 7000n },
    });
  });

  it('subtracts dispute fees, and shows lost disputes apart from refunds', () => {
    const lost = row({ part: 'lost', amount: 1500n });
    const found = ledger([...ROWS, lost], { disputes: 1, disputeFees: 2000n });
    expect(found).toMatchObject({ refunded: { amount: 3500n }, lost: { amount: 1500n }, bank: 84_475n });
  });

  it.each([
    ['is unknown', { unknown: 1 }],
    ['is in another currency', { elsewhere: 1 }],
  ])('does not know the amount at the bank if a fee %s', (_, fees) => {
    expect(ledger(ROWS, fees).bank).toBeNull();
  });

  it('is zero everywhere without donations', () => {
    const nothing = ledgerOf({ explained: [], fees: [] }, explanationOf([], 'gbp', 'e'));
    expect(nothing).toMatchObject({ received: { count: 0, amount: 0n }, total: 0n, bank: 0n });
  });
});
