import { columnsWhere, type DonationRow, type EmptyColumns, type NewDonation } from './donation-columns.js';
import { type Beginning, beginsAs, COUNTED, type StateTable } from './donation-lifecycle.js';

/** What only a donor's own page asks for. */
export const NO_DETAILS = {
  locale: null,
  donor_address: null,
  gift_aid: null,
  covered_fee: null,
} as const satisfies Partial<NewDonation>;

const EMPTY: EmptyColumns = {
  capture_id: null,
  refunded_amount: 0n,
  paid_at: null,
  checked_at: null,
  next_check_at: null,
  fee: null,
  fee_currency: null,
  receipt_number: null,
  shift_id: null,
  paid_by: null,
};

/** What an online donation has nothing of. */
export const NOT_AT_A_TERMINAL = {
  recorded_at: null,
  terminal_id: null,
  paddle: null,
  round_id: null,
} as const satisfies Partial<NewDonation>;

// An object of so many fields that is put together of others is a slow one; a copy of one that has them all is not.
const BLANK: object = Object.fromEntries(columnsWhere(() => true).map((column) => [column, null]));

/** The whole row of a new donation, in the state that the table begins it in. */
export function newDonation(given: NewDonation, beginning: Beginning, table: StateTable): DonationRow {
  const status = beginsAs(beginning, table);
  return Object.assign({ ...BLANK }, given, EMPTY, {
    status,
    updated_at: given.created_at,
    completed_at: status === COUNTED ? given.created_at : null,
  });
}
