import { describe, expect, it } from '@jest/globals';
import { mergedDispute } from './disputes.js';
import type { DisputeState } from './disputes.sql.js';

const state = (changes: Partial<DisputeState>): DisputeState => ({
  amount: 1000n,
  currency: 'eur',
  status: 'open',
  provider_status: 'needs_response',
  status_as_of: null,
  reason: null,
  is_inquiry: false,
  is_appeal: false,
  is_unknown: false,
  needs_answer: true,
  due_by: null,
  fee: null,
  fee_currency: null,
  money_is_refund: false,
  as_of: new Date(1_000),
  ...changes,
});

const inquiry = state({ provider_status: 'warning_needs_response', is_inquiry: true });
const asked = state({ as_of: new Date(1_000), due_by: new Date(9_000), fee: 20n, fee_currency: 'eur' });
const answered = state({ as_of: new Date(2_000), provider_status: 'under_review', needs_answer: false });
const askedAgain = state({ as_of: new Date(3_000), reason: 'duplicate' });
const lost = state({ as_of: new Date(4_000), status: 'lost', provider_status: 'lost', needs_answer: false });
const won = state({ as_of: new Date(4_000), status: 'won', provider_status: 'won', needs_answer: false });
const reopened = state({ as_of: new Date(5_000), due_by: new Date(20_000) });
const lostAfterAll = state({ ...lost, as_of: new Date(6_000) });
const appealed = state({
  as_of: new Date(7_000),
  status: 'lost',
  provider_status: 'appeal_needs_response',
  is_appeal: true,
  due_by: new Date(30_000),
});
const wonByAppeal = state({ ...won, as_of: new Date(8_000) });
/** The state that `disputes.ts` creates for an unknown status. */
const unheardOf = (at: number) =>
  state({ as_of: new Date(at), status_as_of: new Date(0), provider_status: 'sleeping', is_unknown: true });

function* orders<T>(of: readonly T[]): Generator<T[]> {
  if (of.length === 0) yield [];
  for (const [index, first] of of.entries())
    for (const rest of orders([...of.slice(0, index), ...of.slice(index + 1)])) yield [first, ...rest];
}

const merged = ([first = inquiry, ...rest]: readonly DisputeState[]) => rest.reduce(mergedDispute, first);

describe('mergedDispute()', () => {
  it.each([
    [
      'while the dispute is open',
      [inquiry, asked, answered, askedAgain],
      { provider_status: 'needs_response', needs_answer: true },
    ],
    [
      'when the dispute is lost',
      [asked, answered, askedAgain, lost],
      { status: 'lost', needs_answer: false },
    ],
    ['when a lost dispute is won', [asked, lost, won], { status: 'won', needs_answer: false }],
    [
      'when a won dispute is reopened',
      [asked, won, reopened],
      { status: 'open', needs_answer: true, due_by: new Date(20_000) },
    ],
    [
      'when a won dispute is reopened and lost',
      [asked, won, reopened, lostAfterAll],
      { status: 'lost', needs_answer: false },
    ],
    [
      'while a lost dispute is appealed',
      [asked, lost, appealed],
      { status: 'lost', is_appeal: true, needs_answer: true, due_by: new Date(30_000) },
    ],
    [
      'when an appeal is won',
      [asked, lost, appealed, wonByAppeal],
      { status: 'won', is_appeal: false, needs_answer: false },
    ],
    [
      'and keep the last known status while the newest status is unknown',
      [asked, unheardOf(3_500), lost, unheardOf(9_000)],
      { status: 'lost', is_unknown: true, needs_answer: true, provider_status: 'sleeping' },
    ],
    [
      'when a known status follows an unknown one',
      [asked, lost, unheardOf(5_000), wonByAppeal],
      { status: 'won', is_unknown: false, needs_answer: false },
    ],
  ])('gives the same result for any order of updates %s', (_, statements, expected) => {
    for (const order of orders(statements)) expect(merged(order)).toMatchObject({ fee: 20n, ...expected });
  });

  it('keeps the more advanced of two updates of the same second', () => {
    expect(mergedDispute(inquiry, asked)).toEqual(mergedDispute(asked, inquiry));
    expect(mergedDispute(inquiry, asked)).toMatchObject({
      is_inquiry: false,
      provider_status: 'needs_response',
    });
  });

  it('keeps the newer reason when an older update arrives late', () => {
    expect(mergedDispute(askedAgain, answered)).toMatchObject({ reason: 'duplicate', needs_answer: true });
  });
});
