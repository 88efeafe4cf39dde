import type { DonationRow, EmptyColumns, NewDonation } from './donation-columns.js';
import { type Beginning, beginsAs, COUNTED, type StateTable } from './donation-lifecycle.js';

const EMPTY: EmptyColumns = {
  capture_id: null,
  refunded_amount: 0n,
  paid_at: null,
  checked_at: null,
  next_check_at: null,
  fee: null,
  fee_currency: null,
  receipt_number: null,
};

/** The whole row of a new donation, in the state that the table begins it in. */
export function newDonation(given: NewDonation, beginning: Beginning, table: StateTable): DonationRow {
  const status = beginsAs(beginning, table);
  return {
    ...given,
    ...EMPTY,
    status,
    updated_at: given.created_at,
    completed_at: status === COUNTED ? given.created_at : null,
  };
}
