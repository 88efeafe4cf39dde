import type { Statement } from '../../data/database.js';
import { enqueueReceipts } from '../../mail/receipt-of-donation.sql.js';
import { addNewDonations, MOST_RECORDED, raised } from '../../totals/totals.sql.js';
import type { DonationColumn } from '../store/donation-columns.js';
import { recordsOf, succeed } from '../store/donations.sql.js';
import type { Beside } from './paid-at-once.js';

/** What the statement reads of each success from JSON, with the types of PostgreSQL; absent what is NULL. */
const INPUT = {
  /** Which of the successes it is; also the order in which they are announced. */
  place: 'int',
  provider: 'text',
  payment: 'text',
  amount: 'bigint',
  currency: 'text',
  capture: 'text',
  paid_at: 'timestamptz',
  fee: 'bigint',
  fee_currency: 'text',
  actor: 'text',
  history_id: 'uuid',
  email_id: 'uuid',
  for_claim: 'text',
} as const;

/** What it looks at of the donation; with `known_` before what the success says too. */
const FOUND = [
  'id',
  'event_id',
  'status',
  'amount',
  'currency',
  'expected_amount',
  'expected_currency',
  'refunded_amount',
  'paid_at',
  'completed_at',
  'round_id',
] as const satisfies readonly DonationColumn[];

export type SuccessInput = Partial<Record<keyof typeof INPUT, unknown>>;

const SUCCESS = recordsOf('success', INPUT);

const RECEIPTS = enqueueReceipts(
  'd.email_id',
  '(SELECT id, paid.event_id, open.email_id FROM paid JOIN open USING (id) WHERE donor_email IS NOT NULL)',
);

/**
 * The donation of each success, looked up one by one: OFFSET 0 keeps the planner from joining with the whole table, as it
 * would by a plan that it made while the table was small.
 */
const donationOf = (columns: string, locking = ''): string => `${SUCCESS} CROSS JOIN LATERAL (
      SELECT ${columns} FROM donation WHERE provider = success.provider AND payment_id = success.payment OFFSET 0 ${locking}
    ) AS donation`;

/** The donations whose locks the statement before took, as a setting that ends with the transaction. */
const HELD = 'donations.held';

/**
 * Takes the locks of the donations of successes, `$1` as in `paidAtOnce`. What each was found to be is not looked at: it may be
 * what it was before the lock.
 * @param orElse what becomes of those that somebody else has locked
 */
const hold = (name: string, orElse: 'SKIP LOCKED' | ''): Statement => ({
  name,
  text: `
  SELECT set_config('${HELD}', coalesce(string_agg(donation.id::text, ','), ''), true)
  FROM ${donationOf('id', `FOR NO KEY UPDATE ${orElse}`)}`,
});

/** Leaves out those that somebody else has locked, and so waits for nobody while it has locks. */
export const HOLD_FREE = hold('donations_hold_free', 'SKIP LOCKED');
/** Of one success only: waits for the lock. */
export const HOLD = hold('donations_hold', '');

/**
 * Takes open donations that were paid as asked to their end: claims, rows, history, outbox, e-mails and totals, all by the
 * rules of `DonationChanges`. It answers a row for each donation that there is: the success's place, the donation's id and its
 * event's if it was booked, whether there is an e-mail, and whether it was locked; where anything is not as it mostly is,
 * nothing of that donation is changed.
 *
 * It runs right behind `HOLD` or `HOLD_FREE` in the same transaction: of what others wrote about a donation under its lock it
 * so sees everything, and nobody writes any more until the commit.
 *
 * `$1` successes of different payments as a JSON array; `$2` the state before and `$3` after; `$4` the shard of the totals.
 * @param hasMail whether e-mail is set up
 */
export const paidAtOnce = ({ name, unless, claim }: Beside, hasMail: boolean): Statement => ({
  name: hasMail ? `${name}_mailed` : name,
  text: `
  WITH asked AS MATERIALIZED (
    SELECT ${Object.keys(INPUT)
      .map((column) => `success.${column}`)
      .join(', ')},
      ${FOUND.map((column) => `donation.${column}${column in INPUT ? ` AS known_${column}` : ''}`).join(', ')},
      donation.id::text = ANY (string_to_array(current_setting('${HELD}', true), ',')) AS is_held
    FROM ${donationOf(FOUND.join(', '))}
  ), room AS MATERIALIZED (
    SELECT event_id, currency, (${raised('total.event_id', 'total.currency')}) AS raised
    FROM (SELECT DISTINCT event_id, currency FROM asked) AS total
  ), open AS MATERIALIZED (
    SELECT place, provider, capture, paid_at, fee, fee_currency, actor, history_id, email_id, for_claim, id, status
    FROM asked JOIN room USING (event_id, currency)
    WHERE is_held AND status = $2::donation_status
      AND known_amount = amount AND known_currency = currency AND expected_amount = amount AND expected_currency = currency
      AND refunded_amount = 0 AND known_paid_at IS NULL AND completed_at IS NULL AND round_id IS NULL
      AND NOT (${unless})
      AND room.raised + (SELECT sum(amount) FROM asked AS all_asked) <= ${MOST_RECORDED}
  ), claimed AS (
    ${claim}
  ), paid AS (
    ${succeed(
      {
        status: '$3::donation_status',
        capture_id: 'coalesce(open.capture, donation.capture_id)',
        paid_at: 'open.paid_at',
        fee: 'coalesce(open.fee, donation.fee)',
        fee_currency: 'coalesce(open.fee_currency, donation.fee_currency)',
        completed_at: 'moment.at',
        updated_at: 'moment.at',
      },
      'claimed JOIN open USING (id), (SELECT clock_timestamp() AS at) AS moment',
      'donation.id = open.id',
    )}
  ), history AS (
    INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, fields, created_at)
    SELECT open.history_id, id, open.status, paid.status, 'provider', open.actor, NULL, '{}', clock_timestamp()
    FROM paid JOIN open USING (id)
    RETURNING 1
  ), message AS (
    INSERT INTO outbox (event_id, topic, donation_id)
    SELECT paid.event_id, 'donation.created', id FROM paid JOIN open USING (id) ORDER BY open.place
    RETURNING 1
  ), receipt AS (
    ${hasMail ? `${RECEIPTS} RETURNING donation_id` : 'SELECT NULL::uuid AS donation_id WHERE false'}
  ), written AS (
    SELECT (SELECT count(*) FROM history) + (SELECT count(*) FROM message) + (SELECT count(*) FROM receipt) AS rows
  ), counted AS (
    -- Only after all other rows are written: the totals' lock, which all transactions want, comes last.
    SELECT event_id, currency, amount, donor_key FROM paid WHERE (SELECT rows FROM written) > 0
  ), ${addNewDonations('counted', '$4::smallint')}
  SELECT asked.place, paid.id, paid.event_id, receipt.donation_id IS NOT NULL AS has_mail, asked.is_held
  FROM asked LEFT JOIN paid USING (id) LEFT JOIN receipt ON receipt.donation_id = asked.id`,
});
