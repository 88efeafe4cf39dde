import { signInsOn } from '../../audit/terminal-sign-ins.sql.js';
import type { Actor } from '../../common/access/principal.js';
import { newId } from '../../common/crypto/ids.js';
import { causeJson, type HistoryCause } from '../lifecycle/history-cause.js';
import type { Statement } from '../../data/database.js';
import { UNKNOWN_PAYMENT_SEED } from '../../data/advisory-locks.js';
import { ALL_COLUMNS, columnsWhere, type DonationColumn, type DonationRow } from './donation-columns.js';
import type { DonationStatus } from '../lifecycle/donation-lifecycle.js';

/** Statements on single donations. */

const SELECT = `SELECT ${ALL_COLUMNS} FROM donation`;

export const BY_ID: Statement = { name: 'donation_by_id', text: `${SELECT} WHERE id = $1` };

export const LOCK_BY_ID: Statement = {
  name: 'donation_lock',
  text: `${SELECT} WHERE id = $1 FOR NO KEY UPDATE`,
};

export const LOCK_BY_IDS: Statement = {
  name: 'donations_lock',
  text: `${SELECT} WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
};

export const BY_PAYMENT: Statement = {
  name: 'donation_by_payment',
  text: `${SELECT} WHERE provider = $1 AND payment_id = $2`,
};

export const LOCK_BY_PAYMENT: Statement = {
  name: 'donation_lock_payment',
  text: `${SELECT} WHERE provider = $1 AND payment_id = $2 FOR NO KEY UPDATE`,
};

export const LOCK_PAYMENT: Statement = {
  name: 'payment_lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended($1, ${UNKNOWN_PAYMENT_SEED}))`,
};

const INSERTED = columnsWhere(() => true);

const UPDATED = columnsWhere(({ changes }) => changes !== 'never' && changes !== 'apart');

/** Data written together with a donation row. */
export interface HistoryAndOutbox {
  /** The steps in order. `from` is null for the first step of a new donation. */
  readonly steps: readonly { readonly from: DonationStatus | null; readonly to: DonationStatus }[];
  readonly actor: Actor;
  readonly reason: string | null;
  readonly cause: HistoryCause | null;
  /** Fields about the donor that changed. */
  readonly fields: readonly string[];
  readonly messages: readonly { readonly topic: string; readonly roundId: string | null }[];
}

/**
 * Builds a statement that writes a donation row and, if the row was written, its history and outbox. The statement returns the
 * number of written rows. It reads the time of each step from the database clock under the row lock. So the steps are in order
 * even if the clocks of instances differ.
 */
const withHistoryAndOutbox = (name: string, write: string, first: number): Statement => ({
  name,
  text: `WITH donation AS (${write} RETURNING id, event_id), step AS (
      INSERT INTO donation_history
        (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, cause, fields, created_at)
      SELECT step.id, donation.id, step.before, step.after, $${first + 3}, $${first + 4}, $${first + 5}, $${first + 6}::jsonb,
          $${first + 7}, clock_timestamp()
        FROM donation, unnest($${first}::uuid[], $${first + 1}::donation_status[], $${first + 2}::donation_status[])
          AS step (id, before, after)
    ), message AS (
      INSERT INTO outbox (event_id, topic, donation_id, round_id)
      SELECT donation.event_id, message.topic, CASE WHEN message.round IS NULL THEN donation.id END, message.round
        FROM donation, unnest($${first + 8}::text[], $${first + 9}::uuid[]) AS message (topic, round)
    )
    SELECT id FROM donation`,
});

const historyAndOutboxValues = ({
  steps,
  actor,
  reason,
  cause,
  fields,
  messages,
}: HistoryAndOutbox): unknown[] => [
  steps.map(() => newId()),
  steps.map(({ from }) => from),
  steps.map(({ to }) => to),
  actor.kind,
  actor.id,
  reason,
  causeJson(cause),
  fields,
  messages.map(({ topic }) => topic),
  messages.map(({ roundId }) => roundId),
];

export const INSERT = withHistoryAndOutbox(
  'donation_insert',
  `INSERT INTO donation (${INSERTED.join(', ')}) VALUES (${INSERTED.map((_, index) => `$${index + 1}`).join(', ')})`,
  INSERTED.length + 1,
);

export const insertValues = (row: DonationRow, written: HistoryAndOutbox): unknown[] => [
  ...valuesOf(row, INSERTED),
  ...historyAndOutboxValues(written),
];

// The condition contains the previous status, so a write based on an outdated read changes nothing.
export const UPDATE = withHistoryAndOutbox(
  'donation_update',
  `UPDATE donation SET ${UPDATED.map((column, index) => `${column} = $${index + 3}`).join(', ')}
    WHERE id = $1 AND status = $2`,
  UPDATED.length + 3,
);

export const updateValues = (
  row: DonationRow,
  before: DonationStatus,
  written: HistoryAndOutbox,
): unknown[] => [row.id, before, ...valuesOf(row, UPDATED), ...historyAndOutboxValues(written)];

/** Adds a history entry without changing the row. */
export const NOTE: Statement = {
  name: 'donation_note',
  text: `INSERT INTO donation_history
      (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, cause, fields, created_at)
    VALUES ($1, $2, $3, $3, $4, $5, $6, $7::jsonb, '{}', clock_timestamp())`,
};

/** Keeps the Gift Aid declaration of a donation with its donor after a change of the e-mail address. $2: donor key or null */
export const MOVE_DECLARATION: Statement = {
  name: 'donation_move_declaration',
  text: 'UPDATE gift_aid_declaration SET donor_key = $2 WHERE donation_id = $1',
};

const valuesOf = (row: DonationRow, columns: readonly DonationColumn[]): unknown[] =>
  columns.map((column) => row[column]);

/**
 * Reads `$1`, a JSON array of records, as a table expression. Missing fields are NULL.
 * @param name name of the expression
 * @param types PostgreSQL type of each column
 */
export const recordsOf = (name: string, types: Readonly<Record<string, string>>): string =>
  `json_to_recordset($1::json) AS ${name} (${Object.entries(types)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ')})`;

export const ATTACH_PAYMENT: Statement = {
  name: 'donation_attach_payment',
  text: 'UPDATE donation SET payment_id = $2, updated_at = now() WHERE id = $1 AND payment_id IS NULL',
};

export const MARK_CHECKED: Statement = {
  name: 'donation_mark_checked',
  text: 'UPDATE donation SET checked_at = now() WHERE id = $1',
};

// Times after the payment at which the server checks for refunds and disputes, because an event of the provider may be lost.
// After half a year, card schemes do not reverse payments. The next check is then a date in the far future, because `infinity`
// cannot be read as a date.
export const SETTLED_CHECKS = ['1 hour', '1 day', '3 days', '7 days', '30 days', '90 days', '180 days'];

export const SCHEDULE_CHECK: Statement = {
  name: 'donation_schedule_check',
  text: `UPDATE donation SET checked_at = now(), next_check_at = coalesce(
      (SELECT min(paid_at + step) FROM unnest($2::interval[]) AS step WHERE paid_at + step > now()), '9999-12-31')
    WHERE id = $1`,
};

export const POSTPONE_CHECK: Statement = {
  name: 'donation_postpone_check',
  text: `UPDATE donation SET next_check_at = now() + interval '30 minutes' WHERE id = $1`,
};

export const SET_RECEIPT_NUMBERS: Statement = {
  name: 'donation_set_receipt_numbers',
  text: `UPDATE donation SET receipt_number = given.number
    FROM unnest($1::uuid[], $2::text[]) AS given (id, number) WHERE donation.id = given.id`,
};

export const HISTORY_OF: Statement = {
  name: 'donation_history_of',
  text: `SELECT from_status, to_status, actor_kind, actor_id, reason, cause, fields, step.created_at, donation.currency
    FROM donation_history step JOIN donation ON donation.id = step.donation_id
    WHERE step.donation_id = $1 ORDER BY step.created_at, step.id`,
};

/** $1: event; $2: member; $3: terminal */
export const OPEN_SHIFT_OF: Statement = {
  name: 'donation_open_shift_of',
  text: `SELECT id FROM shift WHERE event_id = $1 AND staff_id = $2 AND terminal_id IS NOT DISTINCT FROM $3::uuid
    AND status = 'open' FOR KEY SHARE`,
};

/** $1: shift; $2: donation. The lock makes a running count and an undo wait for each other. */
export const COUNTED_IN_SHIFT: Statement = {
  name: 'donation_counted_in_shift',
  text: `SELECT 1 AS one FROM (SELECT counted_ids FROM shift WHERE id = $1 FOR KEY SHARE) AS counted
    WHERE $2::uuid = ANY (counted_ids)`,
};

/**
 * $1: terminal; $2: member; $3: event; $4: duration of a release. Returns no row if no release is valid. The member is NULL if
 * they did not sign in on the terminal, at the event, before the release. Removed members are included.
 */
export const RELEASED_TERMINAL: Statement = {
  name: 'donation_released_terminal',
  text: `SELECT terminal.released_at, member.id, member.name
    FROM terminal LEFT JOIN staff_member member ON member.id = $2 AND EXISTS (
      ${signInsOn('$1::uuid', '$2::uuid')}
        AND sign_in.detail ->> 'event' = $3::uuid::text AND sign_in.created_at < terminal.released_at)
    WHERE terminal.id = $1 AND terminal.revoked_at IS NULL AND terminal.released_at > now() - $4::interval`,
};

/** Returns a row if this person recorded the donation as paid, or marked it as paid. $1: donation; $2: kind of actor; $3: id */
export const COMPLETED_BY: Statement = {
  name: 'donation_completed_by',
  text: `SELECT 1 AS one FROM donation_history WHERE donation_id = $1 AND to_status = 'COMPLETED'
      AND from_status IS DISTINCT FROM 'COMPLETED' AND actor_kind = $2::actor_kind AND actor_id = $3 LIMIT 1`,
};

/** $1: event; $2: state of the message, name or tribute; $3: maximum number of rows */
export const MESSAGES: Statement = {
  name: 'donation_messages',
  text: `${SELECT}
    WHERE event_id = $1 AND status = 'COMPLETED'
      AND (message_state = $2::message_state AND message IS NOT NULL
        OR name_state = $2::message_state AND donor_name IS NOT NULL AND NOT is_anonymous
        OR tribute_state = $2::message_state)
    ORDER BY id LIMIT $3`,
};

/**
 * Maximum number of rows that a list counts exactly. Counting these rows takes no longer than reading one or
 * two pages. Above this limit, the total is an estimate.
 */
export const COUNT_LIMIT = 10_000;
/**
 * The same limit for a text search. A search costs more for each row, and for a common word PostgreSQL scans many other rows.
 */
export const SEARCH_COUNT_LIMIT = 500;

/** Condition and order of a list. */
export interface ListForm {
  /** Conditions on `donation`. */
  readonly where: string;
  /** The compared columns, see `DonationCondition`. */
  readonly by: readonly string[];
  readonly sort: 'id' | 'amount' | 'updated_at';
}

/** Marks a condition with several values or on more than one column. */
export const MANY = '*';

/**
 * Sets of compared columns for which one index returns the rows in list order, for any value. PostgreSQL may cache only the
 * plans of these lists. For other lists the best plan depends on the value (few donations are PENDING, most are COMPLETED), and
 * a cached plan can be a thousand times slower. A statement with OFFSET is not cached either, because expensive deep pages
 * would make a bad plan look cheap.
 */
const ONE_INDEX: Readonly<Record<ListForm['sort'], ReadonlySet<string>>> = {
  id: new Set(['', 'event_id', 'event_id type', 'event_id status', 'staff_id', 'event_id staff_id']),
  amount: new Set(['', 'event_id']),
  updated_at: new Set(['']),
};

/** Limits of a page, as SQL. */
export interface ListPage {
  /** Condition of the cursor, starting with AND; empty without a cursor. */
  readonly after: string;
  readonly direction: 'ASC' | 'DESC';
  readonly limit: string;
  /** Undefined for a page without an offset. */
  readonly offset: string | undefined;
}

/** Selects a page of rows, each with `total`: the number of rows without the cursor, at most limit + 1. */
export function countedListPage(form: ListForm, page: ListPage): Statement {
  const text = pageText(`${ALL_COLUMNS}, (${countText(form, COUNT_LIMIT)}) AS total`, form, page);
  return page.offset === undefined ? statementOf('list', form, text) : unnamed(text);
}

/** Like `countedListPage`, without the total. */
export const listPage = (form: ListForm, page: ListPage): Statement =>
  unnamed(pageText(ALL_COLUMNS, form, page));

/** @param most count up to this number */
export const listCount = (form: ListForm, most: number): Statement =>
  statementOf('count', form, countText(form, most));

function pageText(read: string, { where, sort }: ListForm, page: ListPage): string {
  const { after, direction, limit, offset } = page;
  const order = sort === 'id' ? `id ${direction}` : `${sort} ${direction}, id ${direction}`;
  const skipped = offset === undefined ? '' : ` OFFSET ${offset}`;
  return `SELECT ${read} FROM donation WHERE ${where}${after} ORDER BY ${order} LIMIT ${limit}${skipped}`;
}

const countText = ({ where }: ListForm, most: number): string =>
  `SELECT count(*)::int AS total FROM (SELECT 1 FROM donation WHERE ${where} LIMIT ${most + 1}) AS counted`;

const statementOf = (kind: string, { by, sort }: ListForm, text: string): Statement => {
  // The index of the sort column also covers a range on this column.
  const compared = by.filter((column) => column !== sort).join(' ');
  return ONE_INDEX[sort].has(compared) ? named(kind, text) : unnamed(text);
};

/** The planner's estimate of the number of rows. The statement has no name, because an EXPLAIN plan is not reused. */
export const listEstimate = ({ where }: ListForm): Statement =>
  unnamed(`EXPLAIN (FORMAT JSON) SELECT 1 FROM donation WHERE ${where}`);

const unnamed = (text: string): Statement => ({ name: '', text });

const names = new Map<string, string>();

/**
 * Names a statement so that the server may cache its plan. The texts depend only on the filters used, so their number
 * is limited.
 */
function named(kind: string, text: string): Statement {
  let name = names.get(text);
  if (!name) {
    name = `donation_${kind}_${names.size}`;
    names.set(text, name);
  }
  return { name, text };
}
