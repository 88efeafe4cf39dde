import pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import type { DonationColumn } from '../../src/donations/store/donation-columns.js';
import type { TestApp } from './app.js';
import { sql } from './fixtures.js';

/** Fields that a test can set. The defaults describe a completed cash donation. */
export interface DonationRow {
  amount: number;
  currency: string;
  type: string;
  status: string;
  donorName: string | null;
  donorEmail: string | null;
  isAnonymous: boolean;
  message: string | null;
  messageState: 'visible' | 'held' | 'hidden';
  staffId: string | null;
  staffName: string | null;
  refundedAmount: number;
  completedAt: string | null;
  source: string | null;
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
  messageState: 'visible',
  staffId: null,
  staffName: null,
  refundedAmount: 0,
  completedAt: '2026-03-01T12:00:00.000Z',
  source: null,
};

type Columns = Partial<Record<DonationColumn, unknown>>;
type Database = Pick<TestApp, 'databaseUrl'> | pg.ClientBase;

/** Inserts a donation in any state into the database, without changing totals or outbox. Returns its id. */
export async function insertDonation(
  database: Database,
  eventId: string,
  fields: Partial<DonationRow> = {},
): Promise<string> {
  const donation = { ...DONATION, ...fields };
  const online = donation.type === 'card' || donation.type === 'wallet';
  const id = newId();
  const columns: Columns = {
    id,
    event_id: eventId,
    amount: donation.amount,
    currency: donation.currency,
    type: donation.type,
    status: donation.status,
    donor_name: donation.donorName,
    donor_email: donation.donorEmail,
    is_anonymous: donation.isAnonymous,
    message: donation.message,
    message_state: donation.messageState,
    staff_id: donation.staffId,
    staff_name: donation.staffName,
    refunded_amount: donation.refundedAmount,
    completed_at: ['PENDING', 'FAILED'].includes(donation.status) ? null : donation.completedAt,
    paid_at: online && donation.status !== 'PENDING' ? donation.completedAt : null,
    provider: online ? 'stripe' : null,
    source: donation.source,
    created_at: '2026-03-01T12:00:00Z',
    updated_at: '2026-03-01T12:00:00Z',
  };
  const names = Object.keys(columns);
  await run(
    database,
    `INSERT INTO donation (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(columns),
  );
  return id;
}

/** SQL for ids in the order of creation, one millisecond apart. */
const MADE_AT_NOON =
  "(lpad(to_hex(1772366400000 + i), 12, '0') || '70008' || left(md5($1::uuid::text || i), 15))::uuid";

/**
 * Inserts many completed donations of one event with one statement. @param expressions columns with other values, as
 * SQL expressions on `i`, 1 to `count`
 */
export async function insertManyDonations(
  database: Database,
  eventId: string,
  count: number,
  expressions: Partial<Record<DonationColumn, string>> = {},
): Promise<void> {
  const columns: Partial<Record<DonationColumn, string>> = {
    id: MADE_AT_NOON,
    event_id: '$1::uuid',
    amount: '100 + i',
    currency: "'eur'",
    type: "'cash'",
    status: "'COMPLETED'",
    donor_name: "'Donor ' || i",
    completed_at: "'2026-03-01T12:00:00Z'",
    created_at: "'2026-03-01T12:00:00Z'",
    updated_at: "'2026-03-01T12:00:00Z'",
    ...expressions,
  };
  await run(
    database,
    `INSERT INTO donation (${Object.keys(columns).join(', ')})
     SELECT ${Object.values(columns).join(', ')} FROM generate_series(1, $2::int) AS i`,
    [eventId, count],
  );
}

async function run(database: Database, text: string, values: unknown[]): Promise<void> {
  if ('databaseUrl' in database) await sql(database, text, values);
  else await database.query(text, values);
}
