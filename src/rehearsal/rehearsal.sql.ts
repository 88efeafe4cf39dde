import type { Statement } from '../data/database.js';
import { notRehearsal } from '../common/crypto/rehearsal-ids.js';

/** Days without use after which a rehearsal ends by itself. */
export const IDLE_DAYS = 14;

export interface RehearsalRow {
  readonly event_id: string;
  readonly real_event_id: string;
  readonly slug: string;
  readonly with_names: boolean;
  readonly mail_to: string[];
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly last_used_at: Date;
}

const REHEARSAL = `SELECT event.id AS event_id, event.rehearsal_of AS real_event_id, event.slug, rehearsal.with_names,
      rehearsal.mail_to, rehearsal.started_at, rehearsal.ended_at, greatest(rehearsal.started_at,
        (SELECT created_at FROM donation WHERE event_id = event.id ORDER BY id DESC LIMIT 1)) AS last_used_at
    FROM rehearsal JOIN event ON event.id = rehearsal.event_id`;

/** $1: the real event */
export const REHEARSAL_OF: Statement = {
  name: 'rehearsal_of',
  text: `${REHEARSAL} WHERE event.rehearsal_of = $1`,
};

/** All rehearsals. They are few, because each event has at most one. */
export const REHEARSALS: Statement = { name: 'rehearsals', text: `${REHEARSAL} ORDER BY event.id` };

/**
 * SQL of the id of a copied row. Each id has one copy, so the same statement copies references between rows. The order of the
 * ids stays nearly the same. $3: a random number of 48 bits
 */
const copied = (id: string) =>
  `(left(${id}::text, 24) || lpad(to_hex(('x' || right(${id}::text, 12))::bit(48)::bigint # $3::bigint), 12, '0'))::uuid`;

/**
 * Copies rows of the real event to the rehearsal. $1: the real event; $2: the rehearsal; $3: see `copied`
 * @param columns expression of each copied column
 */
function copy(table: string, columns: Readonly<Record<string, string>>, where = 'true'): Statement {
  return {
    name: `rehearsal_copy_${table}`,
    text: `INSERT INTO ${table} (id, event_id, ${Object.keys(columns).join(', ')})
      SELECT ${copied('source.id')}, $2::uuid, ${Object.values(columns).join(', ')}
      FROM ${table} source JOIN event ON event.id = source.event_id
      WHERE source.event_id = $1::uuid AND ${where} AND ${notRehearsal('source.event_id')}`,
  };
}

const same = (...columns: string[]) =>
  Object.fromEntries(columns.map((column) => [column, `source.${column}`]));

/** The day of the real event becomes now. */
const moved = (column: string) => `source.${column} + (now() - event.date)`;

/**
 * Receipts of a rehearsal are never documents for the tax office.
 * $1: the real event; $2: id; $3: slug; $4: with names; $5: addresses. Returns no row if the real event does not exist.
 */
export const CREATE_TWIN: Statement = {
  name: 'rehearsal_create',
  text: `WITH twin AS (
      INSERT INTO event (id, slug, name, description, date, goal_amount, currency, status, overrides, rehearsal_of, updated_at)
      SELECT $2, $3, name, description, now(), goal_amount, currency, 'active',
        overrides || jsonb_build_object('receipts', coalesce(overrides -> 'receipts', '{}') || '{"pack": "none"}'), id, now()
      FROM event WHERE id = $1
      RETURNING id
    )
    INSERT INTO rehearsal (event_id, with_names, mail_to) SELECT id, $4, $5 FROM twin RETURNING event_id`,
};

/** $1: the real event; $2: the rehearsal */
export const COPY_ASSIGNMENTS: Statement = {
  name: 'rehearsal_copy_assignments',
  text: `INSERT INTO event_staff (event_id, staff_id) SELECT $2, staff_id FROM event_staff WHERE event_id = $1`,
};

const IS_DRAFT = "source.status IN ('draft', 'cancelled')";
const OPENS = `CASE WHEN ${IS_DRAFT} THEN ${moved('opens_at')} ELSE coalesce(${moved('opens_at')}, now()) END`;

/** Copies in the order in which rows refer to each other. The e-mail address of a matcher is not copied. */
export const COPIES: readonly Statement[] = [
  copy('team', {
    ...same('slug', 'name', 'kind', 'number', 'seats', 'goal_amount', 'is_listed'),
    updated_at: 'now()',
  }),
  copy('milestone', {
    ...same('amount', 'basis', 'kind', 'title', 'short', 'text', 'image', 'is_visible', 'announce'),
    updated_at: 'now()',
  }),
  copy('match_pool', {
    ...same('name', 'matcher_name', 'is_matcher_anonymous', 'logo', 'url', 'cap', 'currency', 'ratio'),
    ...same(
      'per_gift_cap',
      'min_gift',
      'per_donor_cap',
      'kinds',
      'grace_minutes',
      'keeps_pledges',
      'keep_days',
    ),
    ...same('remainder', 'priority', 'due_on', 'actor_kind', 'actor_id'),
    status: `CASE WHEN ${IS_DRAFT} THEN 'draft' ELSE 'scheduled' END`,
    version: '1',
    opens_at: OPENS,
    closes_at: `greatest(${moved('closes_at')}, CASE WHEN source.closes_at IS NOT NULL THEN ${OPENS} + interval '1 hour' END)`,
  }),
];

/**
 * Copies the guests without e-mail address, phone and note. $1 to $3: see `copy`; $4: true to copy the names; $5 and $6: first
 * and last sample names
 */
export const COPY_GUESTS: Statement = {
  name: 'rehearsal_copy_guests',
  text: `INSERT INTO guest (id, event_id, name, last_name, table_name, seat, paddle, shares_paddle_with, party, is_vip,
      needs_help, updated_at)
    SELECT ${copied('id')}, $2::uuid, CASE WHEN $4 THEN name ELSE sample.first || ' ' || sample.last END,
      CASE WHEN $4 THEN last_name ELSE sample.last END, table_name, seat, paddle, ${copied('shares_paddle_with')},
      CASE WHEN $4 THEN party ELSE left(md5($3::text || party), 8) END, is_vip, needs_help, now()
    FROM (SELECT id, name, last_name, table_name, seat, paddle, shares_paddle_with, party, is_vip, needs_help,
        row_number() OVER (ORDER BY id) - 1 AS place FROM guest WHERE event_id = $1::uuid) AS source
    CROSS JOIN LATERAL (SELECT ($5::text[])[1 + place % cardinality($5::text[])] AS first,
      ($6::text[])[1 + (place / cardinality($5::text[]) + place) % cardinality($6::text[])] AS last) AS sample`,
};

/** Closes the event of the rehearsal and ends its assignments. $1: the rehearsal. Returns the members who were assigned. */
export const END: Statement = {
  name: 'rehearsal_end',
  text: `WITH ended AS (
      UPDATE rehearsal SET ended_at = coalesce(ended_at, now()) WHERE event_id = $1 RETURNING event_id
    ), closed AS (
      UPDATE event SET status = 'archived', updated_at = now() FROM ended WHERE event.id = ended.event_id
    )
    DELETE FROM event_staff USING ended WHERE event_staff.event_id = ended.event_id RETURNING staff_id`,
};
