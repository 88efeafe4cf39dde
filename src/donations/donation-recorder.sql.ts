import type { Statement } from '../data/database.js';
import {
  addNewDonations,
  MOST_PROMISED,
  MOST_RECORDED,
  PROMISED_UNASKED,
  raised,
} from '../totals/totals.sql.js';
import { columnsWhere, DONATION_COLUMNS, type DonationColumn } from './donation-columns.js';
import { COUNTED } from './donation-lifecycle.js';

/** The state of what a donor wrote: it waits when there is something to read and the settings say so. */
function heldWhen(written: string, modes: readonly string[]): string {
  const list = modes.map((mode) => `'${mode}'`).join(', ');
  return `(CASE WHEN ${written} AND coalesce(target.moderate, (SELECT moderate FROM house)) IN (${list})
      THEN 'held' ELSE 'visible' END)::message_state`;
}

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
  updated_at: 'sent',
  completed_at: 'sent',
  recorded_at: 'input.recorded_at',
  terminal_id: 'sent',
  shift_id: 'input.shift_id',
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

// JSON has no bytes: they come as hexadecimal text.
const typeInJson = (column: DonationColumn) =>
  DONATION_COLUMNS[column].type === 'bytea' ? 'text' : DONATION_COLUMNS[column].type;
const sent = (column: DonationColumn) =>
  DONATION_COLUMNS[column].type === 'bytea' ? `decode(input.${column}, 'hex')` : `input.${column}`;

const INSERTED = columnsWhere(() => true);
const VALUES = INSERTED.map((column) => (SOURCES[column] === 'sent' ? sent(column) : SOURCES[column]));

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

// The shift in which it was taken: the drawer it lies in. Clocks may differ a little when a shift has just begun.
const SHIFT_OF = `(SELECT shift.id FROM shift
      WHERE shift.event_id = target.id AND shift.staff_id = input.staff_id
        AND shift.terminal_id IS NOT DISTINCT FROM input.terminal_id
        AND shift.opened_at - interval '2 minutes' <= taken_at AND (shift.counted_at IS NULL OR taken_at < shift.counted_at)
      ORDER BY (shift.opened_at <= taken_at) DESC, shift.opened_at DESC LIMIT 1)`;

/** What the event's pledges promise so far. Those of one batch do not see each other, which the bound has room for. */
const PROMISED = `(SELECT coalesce(sum(pledge.amount), 0) FROM donation pledge
        WHERE pledge.event_id = sent_event_id AND pledge.type = 'pledge' AND pledge.status <> 'CANCELLED')`;

/**
 * The whole booking of offline donations in one statement, for one donation or for the donations of the same few
 * milliseconds: idempotency keys, rows, history, donors, totals and outbox commit together or not at all. State
 * and topic of each row come with it, from the same rules that `DonationChanges` goes by.
 * `$1`: donations as a JSON array; `$2`: the shard of the totals.
 */
export const RECORD: Statement = {
  name: 'donations_record',
  text: `
  WITH input AS (
    SELECT ${SENT_COLUMNS.join(', ')}, history_id, review_id, device_time, sent_event_id, topic, confirmed, actor, reason,
      idempotency
    FROM jsonb_to_recordset($1::jsonb) AS donation (
      ${SENT_COLUMNS.map((column) => `${column} ${typeInJson(column)}`).join(', ')},
      history_id uuid, review_id uuid, device_time timestamptz, sent_event_id uuid, topic text, confirmed boolean,
      actor jsonb, reason text, idempotency jsonb)
  ), target AS (
    -- KEY SHARE: neither a change of the currency nor a delete can slip in between.
    SELECT id, currency, date, (${raised('event.id', 'event.currency')}) AS raised, ${rulesIn('overrides')} FROM event
    WHERE id IN (SELECT sent_event_id FROM input) AND status IN ('active', 'paused', 'closed')
    ORDER BY id FOR KEY SHARE
  ), house AS (
    SELECT ${rulesIn('value')} FROM global_settings
  ), judged AS (
    SELECT input.id, amount > most AS "tooLarge", amount > unasked AND NOT confirmed AS unconfirmed, most, unasked,
      round_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pledge_round round
        WHERE round.id = input.round_id AND round.event_id = sent_event_id) AS "unknownRound",
      status = '${COUNTED}' AND rule.raised + sum(amount) FILTER (WHERE status = '${COUNTED}')
        OVER (PARTITION BY sent_event_id ORDER BY input.id) > ${MOST_RECORDED}
      OR CASE WHEN type = 'pledge' AND amount > ${PROMISED_UNASKED} THEN amount + ${PROMISED} > ${MOST_PROMISED} END
      AS "outOfRange"
    FROM input JOIN (
      SELECT target.id, target.raised, coalesce(target.most, house.most) AS most, coalesce(target.unasked, house.unasked) AS unasked
      FROM target LEFT JOIN house ON true
    ) rule ON rule.id = input.sent_event_id
  ), timed AS (
    SELECT id, believed, coalesce(believed, created_at) AS taken_at, device_time IS NOT NULL AND believed IS NULL AS disbelieved
    FROM (SELECT input.id, created_at, device_time, ${BELIEVED} AS believed
      FROM input JOIN target ON target.id = input.sent_event_id) AS announced
  ), accepted AS (
    SELECT ${SENT_COLUMNS.map((column) => `input.${column}`).join(', ')}, sent_event_id, idempotency,
      believed AS recorded_at, ${SHIFT_OF} AS shift_id
    FROM input JOIN judged USING (id) JOIN timed USING (id) JOIN target ON target.id = input.sent_event_id
    WHERE ("tooLarge" OR unconfirmed OR "outOfRange" OR "unknownRound") IS NOT TRUE
  ), claimed AS (
    INSERT INTO idempotency_key (scope, key, request_digest, donation_id, answer, answered_at)
    SELECT idempotency->>'scope', idempotency->>'key', decode(idempotency->>'digest', 'hex'), input.id,
      idempotency->>'answer', now()
    FROM accepted AS input JOIN target ON target.id = input.sent_event_id
    WHERE jsonb_typeof(idempotency) = 'object'
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING RETURNING donation_id
  ), donation AS (
    INSERT INTO donation (${INSERTED.join(', ')})
    SELECT ${VALUES.join(', ')}
    FROM accepted AS input JOIN target ON target.id = input.sent_event_id
    WHERE jsonb_typeof(idempotency) IS DISTINCT FROM 'object' OR input.id IN (SELECT donation_id FROM claimed)
    ORDER BY input.id
    RETURNING id, event_id, amount, currency, status, donor_key
  ), history AS (
    INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, created_at)
    SELECT input.history_id, donation.id, NULL, donation.status, (actor->>'kind')::actor_kind, actor->>'id', input.reason,
      clock_timestamp()
    FROM donation JOIN input USING (id)
    RETURNING 1
  ), message AS (
    INSERT INTO outbox (event_id, topic, donation_id)
    SELECT donation.event_id, input.topic, donation.id FROM donation JOIN input USING (id)
    WHERE input.topic IS NOT NULL ORDER BY donation.id
    RETURNING 1
  ), round_message AS (
    INSERT INTO outbox (event_id, topic, round_id)
    SELECT DISTINCT donation.event_id, 'pledge.round', input.round_id FROM donation JOIN input USING (id)
    WHERE input.round_id IS NOT NULL
    RETURNING 1
  ), reported AS (
    INSERT INTO review_item (id, kind, subject, donation_id, detail)
    SELECT input.review_id, 'recorded_at_rejected', donation.id::text, donation.id,
      jsonb_build_object('sent', input.device_time, 'used', taken_at)
    FROM donation JOIN input USING (id) JOIN timed USING (id) WHERE disbelieved
    RETURNING 1
  ), written AS (
    SELECT (SELECT count(*) FROM history) + (SELECT count(*) FROM message)
      + (SELECT count(*) FROM round_message) + (SELECT count(*) FROM reported) AS rows
  ), counted AS (
    -- Only after all other rows are written: the totals' lock, which all transactions want, comes last.
    SELECT event_id, currency, amount, donor_key FROM donation
    WHERE status = '${COUNTED}' AND (SELECT rows FROM written) > 0
  ), ${addNewDonations('counted', '$2::smallint')}
  SELECT input.id, target.currency, CASE WHEN donation.id IS NOT NULL THEN taken_at END AS "recordedAt",
    CASE WHEN "tooLarge" THEN judged.most::bigint END AS "tooLargeFor",
    CASE WHEN unconfirmed THEN judged.unasked::bigint END AS "askedAbove", "outOfRange", "unknownRound"
  FROM input LEFT JOIN target ON target.id = input.sent_event_id LEFT JOIN judged ON judged.id = input.id
    LEFT JOIN timed ON timed.id = input.id LEFT JOIN donation ON donation.id = input.id`,
};
