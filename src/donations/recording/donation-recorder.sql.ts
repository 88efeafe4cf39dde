import type { Statement } from '../../data/database.js';
import {
  addNewDonations,
  MOST_PROMISED,
  MOST_RECORDED,
  PROMISED_UNASKED,
  raised,
} from '../../totals/totals.sql.js';
import { columnsWhere, DONATION_COLUMNS, type DonationColumn } from '../store/donation-columns.js';
import { COUNTED } from '../lifecycle/donation-lifecycle.js';
import { recordsOf } from '../store/donations.sql.js';

/** The state of what a donor wrote: it waits when there is something to read and the settings say so. */
function heldWhen(written: string, modes: readonly string[]): string {
  const list = modes.map((mode) => `'${mode}'`).join(', ');
  return `(CASE WHEN ${written} AND target.moderate IN (${list}) THEN 'held' ELSE 'visible' END)::message_state`;
}

/** When it was taken, as far as the statement knows it by then; an expression on the table expression `judged`. */
const TAKEN_AT = 'coalesce(input.believed, input.created_at)';

// The shift in which it was taken: the drawer it lies in. Clocks may differ a little when a shift has just begun.
const SHIFT_OF = `(SELECT shift.id FROM shift
      WHERE shift.event_id = target.id AND shift.staff_id = input.staff_id
        AND shift.terminal_id IS NOT DISTINCT FROM input.terminal_id
        AND shift.opened_at - interval '2 minutes' <= ${TAKEN_AT}
        AND (shift.counted_at IS NULL OR ${TAKEN_AT} < shift.counted_at)
      ORDER BY (shift.opened_at <= ${TAKEN_AT}) DESC, shift.opened_at DESC LIMIT 1)`;

/** Where the statement takes each column of a new offline donation from: what was sent, or an expression. */
const SOURCES = {
  id: 'sent',
  event_id: 'target.id',
  amount: 'sent',
  currency: 'target.currency',
  type: 'sent',
  status: 'sent',
  donor_name: 'sent',
  donor_email: 'sent',
  is_anonymous: 'sent',
  message: 'sent',
  message_state: heldWhen('input.message IS NOT NULL', ['messages', 'all']),
  name_state: heldWhen('input.donor_name IS NOT NULL AND NOT input.is_anonymous', ['all']),
  donor_key: 'sent',
  staff_id: 'sent',
  staff_name: 'sent',
  // An offline donation has no payment at a provider.
  provider: 'NULL',
  payment_id: 'NULL',
  capture_id: 'NULL',
  expected_amount: 'NULL',
  expected_currency: 'NULL',
  refunded_amount: '0',
  paid_at: 'NULL',
  checked_at: 'NULL',
  next_check_at: 'NULL',
  fee: 'NULL',
  fee_currency: 'NULL',
  receipt_number: 'NULL',
  created_at: 'sent',
  updated_at: 'input.created_at',
  completed_at: 'sent',
  recorded_at: 'input.believed',
  terminal_id: 'sent',
  shift_id: SHIFT_OF,
  paddle: 'sent',
  round_id: 'sent',
  paid_by: 'NULL',
  locale: 'NULL',
  donor_address: 'NULL',
  gift_aid: 'NULL',
  covered_fee: 'NULL',
} as const satisfies Record<DonationColumn, string>;

type Sources = typeof SOURCES;
/** The columns of a new offline donation that come with it. */
export type SentColumn = {
  [Column in DonationColumn]: Sources[Column] extends 'sent' ? Column : never;
}[DonationColumn];

export const SENT_COLUMNS = columnsWhere((_, column) => SOURCES[column] === 'sent') as SentColumn[];

const INSERTED = columnsWhere(() => true);
const VALUES = INSERTED.map((column) => (SOURCES[column] === 'sent' ? `input.${column}` : SOURCES[column]));

/** What comes with each donation beside the columns of its row; absent is NULL. */
const BESIDE = {
  history_id: 'uuid',
  device_time: 'timestamptz',
  review_id: 'uuid',
  topic: 'text',
  confirmed: 'boolean',
  actor_kind: 'actor_kind',
  actor_id: 'text',
  reason: 'text',
  key_scope: 'text',
  key: 'text',
  key_digest: 'bytea',
  answer: 'text',
} as const;

/** One donation as the statement reads it from JSON: bytes as `\\x` and hexadecimal digits, absent what is NULL. */
export type RecordInput = Partial<Record<SentColumn | keyof typeof BESIDE, unknown>>;

const TYPES: Record<string, string> = {
  ...Object.fromEntries(SENT_COLUMNS.map((column) => [column, DONATION_COLUMNS[column].type])),
  ...BESIDE,
};
const INPUT = Object.keys(TYPES);
const COLUMNS_OF_INPUT = INPUT.join(', ');

/** What stored settings say of recording, as columns; the older form of `live.moderate` is read too. */
const rulesIn = (settings: string): string => `
      coalesce(${settings} #>> '{live,moderate}', CASE ${settings} #>> '{live,moderateMessages}'
        WHEN 'true' THEN 'messages' WHEN 'false' THEN 'none' END) AS moderate,
      ${amountIn(settings, 'maxOfflineAmount')} AS most,
      ${amountIn(settings, 'confirmOfflineAbove')} AS unasked`;

const amountIn = (settings: string, name: string): string =>
  `CASE jsonb_typeof(${settings} #> '{donation,${name}}') WHEN 'number'
        THEN (${settings} #>> '{donation,${name}}')::numeric END`;

/**
 * When it was taken: what the device says, if that can be. Its clock may be ahead a little, and a record may have
 * waited for long, but it is not from before the event's day and the day before, wherever that day is.
 */
const BELIEVED = `CASE WHEN device_time BETWEEN least(target.date, created_at) - interval '48 hours'
        AND created_at + interval '2 minutes' THEN least(device_time, created_at) END`;

/** What the event's pledges promise so far. Those of one batch do not see each other, which the bound has room for. */
const PROMISED = `(SELECT coalesce(sum(pledge.amount), 0) FROM donation pledge
        WHERE pledge.event_id = target.id AND pledge.type = 'pledge' AND pledge.status <> 'CANCELLED')`;

/** Whether the event takes it, and no limit refuses it. */
const ACCEPTED = `(currency IS NOT NULL AND ("tooLarge" OR unconfirmed OR "outOfRange" OR "unknownRound") IS NOT TRUE)`;

/**
 * The whole booking of offline donations of one event in one statement, for one donation or for the donations of the
 * same few milliseconds: idempotency keys, rows, history, donors, totals and outbox commit together or not at all.
 * State and topic of each row come with it, from the same rules that `DonationChanges` goes by. What was found out
 * about a donation goes along with it from step to step: looking it up again by id would take longer than writing it.
 * `$1`: donations as a JSON array; `$2`: the shard of the totals; `$3`: the event.
 */
export const RECORD: Statement = {
  name: 'donations_record',
  text: `
  WITH input AS (
    SELECT ${COLUMNS_OF_INPUT} FROM ${recordsOf('donation', TYPES)}
  ), target AS (
    -- KEY SHARE: neither a change of the currency nor a delete can slip in between.
    SELECT event.id, event.currency, event.date, (${raised('event.id', 'event.currency')}) AS raised,
      coalesce(own.moderate, house.moderate) AS moderate, coalesce(own.most, house.most) AS most,
      coalesce(own.unasked, house.unasked) AS unasked
    FROM event CROSS JOIN LATERAL (SELECT ${rulesIn('event.overrides')}) AS own
      LEFT JOIN (SELECT ${rulesIn('value')} FROM global_settings WHERE id = 1) AS house ON true
    WHERE event.id = $3::uuid AND event.status IN ('active', 'paused', 'closed')
    FOR KEY SHARE OF event
  ), judged AS (
    SELECT ${INPUT.map((column) => `input.${column}`).join(', ')}, target.currency, target.most, target.unasked, ${BELIEVED} AS believed,
      amount > target.most AS "tooLarge", amount > target.unasked AND confirmed IS NOT TRUE AS unconfirmed,
      round_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pledge_round round
        WHERE round.id = input.round_id AND round.event_id = target.id AND round.currency = target.currency) AS "unknownRound",
      status = '${COUNTED}' AND target.raised + sum(amount) FILTER (WHERE status = '${COUNTED}')
        OVER (ORDER BY input.id) > ${MOST_RECORDED}
      OR CASE WHEN type = 'pledge' AND amount > ${PROMISED_UNASKED} THEN amount + ${PROMISED} > ${MOST_PROMISED} END
      AS "outOfRange"
    FROM input LEFT JOIN target ON true
  ), claimed AS (
    INSERT INTO idempotency_key (scope, key, request_digest, donation_id, answer, answered_at)
    SELECT key_scope, key, key_digest, id, answer, now() FROM judged WHERE ${ACCEPTED} AND key IS NOT NULL ORDER BY 1, 2
    ON CONFLICT DO NOTHING RETURNING donation_id
  ), booked AS (
    SELECT ${COLUMNS_OF_INPUT}, believed FROM judged
    WHERE ${ACCEPTED} AND (key IS NULL OR id IN (SELECT donation_id FROM claimed))
  ), donation AS (
    INSERT INTO donation (${INSERTED.join(', ')})
    SELECT ${VALUES.join(', ')}
    FROM booked AS input CROSS JOIN target ORDER BY input.id
    RETURNING id
  ), history AS (
    INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, created_at)
    SELECT history_id, id, NULL, status, actor_kind, actor_id, reason, clock_timestamp() FROM booked
    RETURNING 1
  ), message AS (
    INSERT INTO outbox (event_id, topic, donation_id)
    SELECT $3::uuid, topic, id FROM booked WHERE topic IS NOT NULL ORDER BY id
    RETURNING 1
  ), round_message AS (
    INSERT INTO outbox (event_id, topic, round_id)
    SELECT DISTINCT $3::uuid, 'pledge.round', round_id FROM booked WHERE round_id IS NOT NULL
    RETURNING 1
  ), reported AS (
    INSERT INTO review_item (id, kind, subject, donation_id, detail)
    SELECT review_id, 'recorded_at_rejected', id::text, id, jsonb_build_object('sent', device_time, 'used', created_at)
    FROM booked WHERE device_time IS NOT NULL AND believed IS NULL
    RETURNING 1
  ), written AS (
    SELECT (SELECT count(*) FROM donation) + (SELECT count(*) FROM history) + (SELECT count(*) FROM message)
      + (SELECT count(*) FROM round_message) + (SELECT count(*) FROM reported) AS rows
  ), counted AS (
    -- Only after all other rows are written: the totals' lock, which all transactions want, comes last.
    SELECT target.id AS event_id, target.currency, amount, donor_key FROM booked CROSS JOIN target
    WHERE status = '${COUNTED}' AND (SELECT rows FROM written) > 0
  ), ${addNewDonations('counted', '$2::smallint')}
  SELECT judged.id, judged.currency, donation.id IS NOT NULL AS booked, believed,
    CASE WHEN "tooLarge" THEN most::bigint END AS "tooLargeFor",
    CASE WHEN unconfirmed THEN unasked::bigint END AS "askedAbove", "outOfRange", "unknownRound"
  FROM judged LEFT JOIN donation ON donation.id = judged.id`,
};
