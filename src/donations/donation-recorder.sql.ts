import type { Statement } from '../data/database.js';
import { addNewDonations } from '../totals/totals.sql.js';
import { columnsWhere, DONATION_COLUMNS, type DonationColumn } from './donation-columns.js';
import { COUNTED } from './donation-lifecycle.js';

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
  message_state: `(CASE WHEN input.message IS NOT NULL
      AND coalesce(target.moderate, (SELECT moderate FROM house)) = 'messages' THEN 'held' ELSE 'visible' END)::message_state`,
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
 * The whole booking of offline donations in one statement, for one donation or for the donations of the same few
 * milliseconds: idempotency keys, rows, history, donors, totals and outbox commit together or not at all. State
 * and topic of each row come with it, from the same rules that `DonationChanges` goes by.
 * `$1`: donations as a JSON array; `$2`: the shard of the totals.
 */
export const RECORD: Statement = {
  name: 'donations_record',
  text: `
  WITH input AS (
    SELECT ${SENT_COLUMNS.join(', ')}, history_id, sent_event_id, topic, confirmed, actor, idempotency
    FROM jsonb_to_recordset($1::jsonb) AS donation (
      ${SENT_COLUMNS.map((column) => `${column} ${typeInJson(column)}`).join(', ')},
      history_id uuid, sent_event_id uuid, topic text, confirmed boolean,
      actor jsonb, idempotency jsonb)
  ), target AS (
    -- KEY SHARE: neither a change of the currency nor a delete can slip in between.
    SELECT id, currency, ${rulesIn('overrides')} FROM event
    WHERE id IN (SELECT sent_event_id FROM input) AND status IN ('active', 'paused', 'closed')
    ORDER BY id FOR KEY SHARE
  ), house AS (
    SELECT ${rulesIn('value')} FROM global_settings
  ), judged AS (
    SELECT input.id, amount > most AS "tooLarge", amount > unasked AND NOT confirmed AS unconfirmed, most, unasked
    FROM input JOIN (
      SELECT target.id, coalesce(target.most, house.most) AS most, coalesce(target.unasked, house.unasked) AS unasked
      FROM target LEFT JOIN house ON true
    ) rule ON rule.id = input.sent_event_id
  ), accepted AS (
    SELECT ${SENT_COLUMNS.map((column) => `input.${column}`).join(', ')}, sent_event_id, idempotency
    FROM input JOIN judged USING (id) WHERE ("tooLarge" OR unconfirmed) IS NOT TRUE
  ), claimed AS (
    INSERT INTO idempotency_key (scope, key, request_digest, donation_id, answer, answered_at)
    SELECT idempotency->>'scope', idempotency->>'key', decode(idempotency->>'digest', 'hex'), input.id,
      ((idempotency->'answer') || jsonb_build_object('currency', target.currency))::text, now()
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
    INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, created_at)
    SELECT input.history_id, donation.id, NULL, donation.status, (actor->>'kind')::actor_kind, actor->>'id', clock_timestamp()
    FROM donation JOIN input USING (id)
    RETURNING 1
  ), message AS (
    INSERT INTO outbox (event_id, topic, donation_id)
    SELECT donation.event_id, input.topic, donation.id FROM donation JOIN input USING (id)
    WHERE input.topic IS NOT NULL ORDER BY donation.id
    RETURNING 1
  ), written AS (
    SELECT (SELECT count(*) FROM history) + (SELECT count(*) FROM message) AS rows
  ), counted AS (
    -- Only after all other rows are written: the totals' lock, which all transactions want, comes last.
    SELECT event_id, currency, amount, donor_key FROM donation
    WHERE status = '${COUNTED}' AND (SELECT rows FROM written) > 0
  ), ${addNewDonations('counted', '$2::smallint')}
  SELECT input.id, target.currency, donation.id IS NOT NULL AS recorded,
    CASE WHEN "tooLarge" THEN judged.most::bigint END AS "tooLargeFor",
    CASE WHEN unconfirmed THEN judged.unasked::bigint END AS "askedAbove"
  FROM input LEFT JOIN target ON target.id = input.sent_event_id LEFT JOIN judged ON judged.id = input.id
    LEFT JOIN donation ON donation.id = input.id`,
};
