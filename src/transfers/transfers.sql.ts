import type { Statement } from '../data/database.js';
import { ALL_COLUMNS } from '../donations/store/donation-columns.js';

/** A reference number, and the end of the time to pay. */
export interface TransferRow {
  readonly number: bigint;
  readonly expires_at: Date | null;
}

/**
 * Returns a new reference number. The minute comes first: if a restored backup repeats the sequence, the numbers still differ.
 */
export const NEXT_NUMBER: Statement = {
  name: 'transfer_next_number',
  text: `SELECT floor(extract(epoch FROM now()) / 60)::bigint * 1000000000 + nextval('transfer_number') AS number`,
};

/**
 * Gives a donation its reference number. A donation that has one keeps it.
 * $1: donation; $2: number; $3: days to pay, or null without an end
 */
export const OPEN_TRANSFER: Statement = {
  name: 'transfer_open',
  text: `INSERT INTO transfer (donation_id, number, expires_at)
    VALUES ($1::uuid, $2, now() + make_interval(days => $3::int)) ON CONFLICT (donation_id) DO NOTHING`,
};

export const TRANSFER_OF: Statement = {
  name: 'transfer_of_donation',
  text: 'SELECT number, expires_at FROM transfer WHERE donation_id = $1::uuid',
};

const D_COLUMNS = ALL_COLUMNS.split(', ')
  .map((column) => `donation.${column}`)
  .join(', ');

/** $1: numbers. The donations of references, with their events. */
export const DONATIONS_OF_NUMBERS: Statement = {
  name: 'transfers_of_numbers',
  text: `SELECT transfer.number, event.name AS event_name, ${D_COLUMNS} FROM transfer
    JOIN donation ON donation.id = transfer.donation_id JOIN event ON event.id = donation.event_id
    WHERE transfer.number = ANY($1::bigint[])`,
};

/** $1: limit. Open transfers after the end of their time, oldest first. */
export const OVERDUE: Statement = {
  name: 'transfers_overdue',
  text: `SELECT donation.id FROM transfer JOIN donation ON donation.id = transfer.donation_id
    WHERE transfer.expires_at <= now() AND donation.status = 'PENDING' AND donation.type = 'bank_transfer'
    ORDER BY transfer.expires_at, donation.id LIMIT $1`,
};

/** $1: donation. Other paid donations of the same checkout of the donate page, oldest first. */
export const PAID_IN_CHECKOUT: Statement = {
  name: 'transfer_paid_in_checkout',
  text: `SELECT donation.id FROM checkout own JOIN checkout other ON other.key = own.key
      JOIN donation ON donation.id = other.donation_id
    WHERE own.donation_id = $1::uuid AND donation.id <> own.donation_id AND donation.paid_at IS NOT NULL
    ORDER BY donation.id`,
};
