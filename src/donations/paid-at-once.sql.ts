import type { Statement } from '../data/database.js';
import { enqueueReceipts } from '../mail/receipt-of-donation.sql.js';
import { addNewDonation, MOST_RECORDED, raised } from '../totals/totals.sql.js';
import { succeed } from './donations.sql.js';
import type { Beside } from './paid-at-once.js';

const RECEIPT = enqueueReceipts('$15::uuid', '(SELECT id, event_id FROM paid WHERE donor_email IS NOT NULL)');

/**
 * Takes an open donation that was paid as asked to its end: claim, row, history, outbox, e-mail and totals, all by the
 * rules of `DonationChanges`. It answers the donation's id, its event's, and whether there is an e-mail; where anything is
 * not as it mostly is, it changes nothing and answers nothing.
 *
 * It runs right behind `HOLD_PAYMENT` in the same transaction: of what others wrote about the donation under its lock it
 * so sees everything, and nobody writes any more until the commit.
 *
 * `$1` provider, `$2` payment, `$3` amount and `$4` currency received, `$5` capture, `$6` when it was paid, `$7` fee and
 * `$8` its currency, `$9` the state before and `$10` after, `$11` the actor's id, `$12` id of the history row, `$13` the shard
 * of the totals, `$14` what the claim needs besides, `$15` id of the e-mail.
 * @param hasMail whether e-mail is set up; without it there is no `$15`
 */
export const paidAtOnce = ({ name, unless, claim }: Beside, hasMail: boolean): Statement => ({
  name: hasMail ? `${name}_mailed` : name,
  text: `
  WITH asked AS MATERIALIZED (
    -- A payment that became known only after the lock was asked for is not locked. Nothing else has given this transaction
    -- an id so far, and without one it holds no row.
    SELECT id, event_id, amount, currency, status, expected_amount, expected_currency, refunded_amount, paid_at,
      completed_at, round_id
    FROM donation WHERE provider = $1 AND payment_id = $2 AND pg_current_xact_id_if_assigned() IS NOT NULL
  ), open AS MATERIALIZED (
    SELECT id FROM asked
    WHERE status = $9::donation_status
      AND amount = $3::bigint AND currency = $4 AND expected_amount = $3 AND expected_currency = $4
      AND refunded_amount = 0 AND paid_at IS NULL AND completed_at IS NULL AND round_id IS NULL
      AND NOT (${unless})
      AND (${raised('asked.event_id', '$4')}) + $3 <= ${MOST_RECORDED}
  ), claimed AS (
    ${claim}
  ), paid AS (
    ${succeed(
      {
        status: '$10::donation_status',
        capture_id: 'coalesce($5, donation.capture_id)',
        paid_at: '$6::timestamptz',
        fee: 'coalesce($7::bigint, donation.fee)',
        fee_currency: 'coalesce($8, donation.fee_currency)',
        completed_at: 'moment.at',
        updated_at: 'moment.at',
      },
      'claimed, (SELECT clock_timestamp() AS at) AS moment',
      'donation.id = claimed.id',
    )}
  ), history AS (
    INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, fields, created_at)
    SELECT $12::uuid, id, $9::donation_status, status, 'provider', $11, NULL, '{}', clock_timestamp() FROM paid
    RETURNING 1
  ), message AS (
    INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, 'donation.created', id FROM paid
    RETURNING 1
  )${hasMail ? `, receipt AS (${RECEIPT} RETURNING 1)` : ''}, counted AS (
    -- Only after all other rows are written: the totals' lock, which all transactions want, comes last.
    SELECT event_id, currency, amount, donor_key FROM paid, history, message
    ${hasMail ? 'WHERE (SELECT count(*) FROM receipt) >= 0' : ''}
  ), ${addNewDonation('counted', '$13::smallint')}
  SELECT id, event_id, ${hasMail ? 'EXISTS (SELECT FROM receipt)' : 'false'} AS has_mail FROM paid`,
});
