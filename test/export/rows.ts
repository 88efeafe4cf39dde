import { newId } from '../../src/common/ids.js';
import type { TestApp } from '../support/app.js';
import { sql } from '../support/fixtures.js';

export interface DonationRow {
  amount: number;
  currency: string;
  type: string;
  status: string;
  donorName: string | null;
  donorEmail: string | null;
  isAnonymous: boolean;
  message: string | null;
  staffId: string | null;
  staffName: string | null;
  refundedAmount: number;
  completedAt: string | null;
}

const DONATION: DonationRow = {
  amount: 2500,
  currency: 'eur',
  type: 'cash',
  status: 'COMPLETED',
  donorName: 'Ada Lovelace',
  donorEmail: 'ada@example.org',
  isAnonymous: false,
  message: null,
  staffId: null,
  staffName: null,
  refundedAmount: 0,
  completedAt: '2026-03-01T12:00:00.000Z',
};

const INSERT = `
  INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, is_anonymous, message,
    staff_id, staff_name, refunded_amount, completed_at, paid_at, provider, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5::donation_type, $6::donation_status, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
    '2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z')`;

/** A donation straight into the database, in whatever state. Returns its id. */
export async function insertDonation(
  app: Pick<TestApp, 'databaseUrl'>,
  eventId: string,
  fields: Partial<DonationRow> = {},
): Promise<string> {
  const donation = { ...DONATION, ...fields };
  const online = donation.type === 'card' || donation.type === 'wallet';
  const id = newId();
  await sql(app, INSERT, [
    id,
    eventId,
    donation.amount,
    donation.currency,
    donation.type,
    donation.status,
    donation.donorName,
    donation.donorEmail,
    donation.isAnonymous,
    donation.message,
    donation.staffId,
    donation.staffName,
    donation.refundedAmount,
    donation.status === 'PENDING' || donation.status === 'FAILED' ? null : donation.completedAt,
    online ? donation.completedAt : null,
    online ? 'stripe' : null,
  ]);
  return id;
}

/** Many completed donations of one event at once, a millisecond apart; `name` is an SQL expression on `i`. */
export async function insertManyDonations(
  app: Pick<TestApp, 'databaseUrl'>,
  eventId: string,
  count: number,
  name = `'Donor ' || i`,
): Promise<void> {
  await sql(
    app,
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, completed_at, created_at, updated_at)
     SELECT (lpad(to_hex(1772366400000 + i), 12, '0') || '7000' || '8' || lpad(to_hex(i), 15, '0'))::uuid, $1, 100 + i,
       'eur', 'cash', 'COMPLETED', ${name}, '2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'
     FROM generate_series(1, $2::int) AS i`,
    [eventId, count],
  );
}
