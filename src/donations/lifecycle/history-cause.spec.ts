import { describe, expect, it } from '@jest/globals';
import { CAUSE_KINDS, causeOfText, type HistoryCause, textOfCause } from './history-cause.js';

const ID = '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f';

/** The text of each cause in version 1.0, whose rows exist in the databases of charities. */
const TEXTS: readonly (readonly [string, HistoryCause])[] = [
  ['refund of 2000 requested', { kind: 'refund_requested', amount: 2000, currency: 'gbp' }],
  ['2000 given back', { kind: 'refunded_by_hand', amount: 2000, currency: 'gbp' }],
  ['refund succeeded', { kind: 'refund_status', status: 'succeeded' }],
  ['dispute lost', { kind: 'dispute_status', status: 'lost' }],
  ['book correction', { kind: 'books_corrected' }],
  ['withdrawn by the donor (paid_elsewhere)', { kind: 'pledge_withdrawn', code: 'paid_elsewhere' }],
  ['pledge fulfilled (bank_transfer)', { kind: 'pledge_fulfilled', type: 'bank_transfer' }],
  [`paid by ${ID}`, { kind: 'pledge_paid_online', donationId: ID }],
  ['bank transfer of 2000 received', { kind: 'transfer_received', amount: 2000, currency: 'gbp' }],
  [
    'bank transfer of 2000 received for the pledge of 5000',
    { kind: 'pledge_transfer_received', amount: 2000, pledged: 5000, currency: 'gbp' },
  ],
  [
    `bank transfer of 2000 booked as ${ID}`,
    { kind: 'transfer_booked_apart', amount: 2000, donationId: ID, currency: 'gbp' },
  ],
  ['no bank transfer arrived in time', { kind: 'transfer_expired' }],
  ['undone', { kind: 'undone' }],
  ['imported', { kind: 'imported' }],
  ['counted as the payment of a matcher', { kind: 'match_settlement' }],
  ['message approved', { kind: 'message_approved' }],
  ['message hidden', { kind: 'message_hidden' }],
  ['message awaits approval again', { kind: 'message_held' }],
  ['name approved', { kind: 'name_approved' }],
  ['name hidden', { kind: 'name_hidden' }],
  ['name awaits approval again', { kind: 'name_held' }],
  ['tribute approved', { kind: 'tribute_approved' }],
  ['tribute hidden', { kind: 'tribute_hidden' }],
  ['tribute awaits approval again', { kind: 'tribute_held' }],
  ['shown after a second look', { kind: 'record_shown' }],
  ['the address of the notified person was erased', { kind: 'notified_person_erased' }],
  ['the donor was erased', { kind: 'donor_erased' }],
  ['the donor was erased before this record arrived', { kind: 'donor_erased_before' }],
  ['never paid: personal data erased after the time in the settings', { kind: 'unpaid_donor_erased' }],
  [
    'receipt 2026-000001 replaced by 2026-000002',
    { kind: 'receipt_replaced', number: '2026-000001', replacedBy: '2026-000002' },
  ],
  ['payment made without an intent of this service', { kind: 'payment_without_intent' }],
  [
    'refused by the provider: PAYEE_ACCOUNT_RESTRICTED',
    { kind: 'payment_refused', code: 'PAYEE_ACCOUNT_RESTRICTED' },
  ],
  ['the donor chose another way to pay', { kind: 'paid_another_way' }],
  ['a further capture', { kind: 'further_capture' }],
  ['insufficient_funds', { kind: 'payment_failed', code: 'insufficient_funds' }],
];

describe('causes in the history of a donation', () => {
  it.each(TEXTS)('the text “%s” keeps its cause', (text, cause) => {
    const to = cause.kind === 'payment_failed' ? 'FAILED' : 'COMPLETED';
    expect(causeOfText(text, to, 'gbp')).toEqual(cause);
    expect(textOfCause(cause)).toBe(text);
  });

  it('the texts cover every kind of cause', () => {
    expect(TEXTS.map(([, { kind }]) => kind).sort()).toEqual([...CAUSE_KINDS].sort());
  });

  it.each(['Charged twice', 'undone by mistake', 'refund of 20 pounds requested', 'the 2000 given back', ''])(
    'the text “%s” that a person typed is not a cause',
    (text) => {
      expect(causeOfText(text, 'COMPLETED', 'gbp')).toBeUndefined();
    },
  );
});
