import type { Statement } from '../data/database.js';

/** Donations whose name or amount walls do not show enter the board together with so many others of the same team. */
export const SECRETS_TOGETHER = 3;
/** They enter this many seconds later, at a random moment, so that a change of the board does not reveal its donation. */
const DELAY_SECONDS = { least: 120, most: 900 };

/** True if event $1 has teams. A team with donations cannot be deleted. */
export const HAS_TEAMS: Statement = {
  name: 'team_event_has_teams',
  text: 'SELECT 1 AS one FROM team WHERE event_id = $1 LIMIT 1',
};

/**
 * Writes what the donations $1 add to their teams now. The board shows a donation with a name at once. A change of another
 * donation waits until the statement `RELEASE` decides when the board shows it.
 */
export const FOLLOW: Statement = {
  name: 'team_gift_follow',
  text: `WITH fact AS (
      SELECT d.id, d.event_id, d.team_id, d.status = 'COMPLETED' AS counts,
        CASE WHEN d.status = 'COMPLETED' AND d.currency = e.currency THEN d.amount - d.refunded_amount ELSE 0 END AS amount,
        d.is_anonymous OR d.is_amount_hidden OR d.name_state <> 'visible' OR coalesce(btrim(d.donor_name), '') = ''
          AS is_secret
      FROM donation d JOIN event e ON e.id = d.event_id WHERE d.id = ANY($1::uuid[])
    ), now_given AS (
      SELECT fact.team_id, fact.id AS donation_id, fact.event_id, fact.amount, fact.counts, fact.is_secret
      FROM fact JOIN team ON team.id = fact.team_id
      WHERE fact.counts OR EXISTS (SELECT FROM team_gift g WHERE g.donation_id = fact.id)
      UNION ALL
      SELECT g.team_id, g.donation_id, g.event_id, 0, false, fact.is_secret
      FROM fact JOIN team_gift g ON g.donation_id = fact.id WHERE g.team_id IS DISTINCT FROM fact.team_id
    )
    INSERT INTO team_gift AS g (team_id, donation_id, event_id, amount, counts, is_secret, shown_from)
    SELECT team_id, donation_id, event_id, amount, counts, is_secret, CASE WHEN is_secret THEN NULL ELSE now() END
    FROM now_given ORDER BY donation_id, team_id
    ON CONFLICT (donation_id, team_id) DO UPDATE SET
      old_amount = CASE WHEN g.shown_from <= now() THEN g.amount ELSE g.old_amount END,
      old_counts = CASE WHEN g.shown_from <= now() THEN g.counts ELSE g.old_counts END,
      amount = excluded.amount, counts = excluded.counts, is_secret = excluded.is_secret, shown_from = excluded.shown_from
    WHERE (g.amount, g.counts) IS DISTINCT FROM (excluded.amount, excluded.counts)
      OR (NOT excluded.is_secret AND g.shown_from IS NULL)
    RETURNING team_id`,
};

/** Decides when the board shows the waiting changes of the teams $1, for each team with enough of them. */
export const RELEASE: Statement = {
  name: 'team_gift_release',
  text: `WITH due AS MATERIALIZED (
      SELECT team_id, now() + make_interval(secs =>
        ${DELAY_SECONDS.least} + random() * ${DELAY_SECONDS.most - DELAY_SECONDS.least}) AS shown_from
      FROM team_gift WHERE team_id = ANY($1::uuid[]) AND shown_from IS NULL
      GROUP BY team_id HAVING count(*) >= ${SECRETS_TOGETHER}
    )
    UPDATE team_gift g SET shown_from = due.shown_from FROM due WHERE g.team_id = due.team_id AND g.shown_from IS NULL`,
};

/** A donation without an e-mail address counts as a donor of its own. */
const GIVER = "coalesce(encode(d.donor_key, 'hex'), d.id::text)";
const IS_SHOWN = '$2 OR g.shown_from <= now()';
const COLUMNS = 't.id, t.slug, t.name, t.kind, t.number, t.seats, t.goal_amount';
const WITH_GIFTS =
  'FROM team t LEFT JOIN team_gift g ON g.team_id = t.id LEFT JOIN donation d ON d.id = g.donation_id';

/** Figures that the board of event $1 shows. $2: true if it shows every change, because the event has ended. */
export const BOARD: Statement = {
  name: 'team_board',
  text: `SELECT id, slug, name, kind, number, seats, goal_amount, coalesce(sum(amount), 0)::bigint AS raised,
      (count(*) FILTER (WHERE counts))::int AS gifts, (count(DISTINCT giver) FILTER (WHERE counts))::int AS givers
    FROM (SELECT ${COLUMNS}, ${GIVER} AS giver,
        CASE WHEN ${IS_SHOWN} THEN g.amount ELSE g.old_amount END AS amount,
        CASE WHEN ${IS_SHOWN} THEN g.counts ELSE g.old_counts END AS counts
      ${WITH_GIFTS} WHERE t.event_id = $1 AND t.is_listed) AS shown
    GROUP BY id, slug, name, kind, number, seats, goal_amount`,
};

/** The exact figures of the teams of event $1, by id. */
export const EXACT: Statement = {
  name: 'team_exact',
  text: `SELECT t.id, coalesce(sum(g.amount), 0)::bigint AS raised, (count(*) FILTER (WHERE g.counts))::int AS gifts,
      (count(DISTINCT ${GIVER}) FILTER (WHERE g.counts))::int AS givers
    ${WITH_GIFTS} WHERE t.event_id = $1 GROUP BY t.id`,
};

const CHOSEN = `t.id, t.slug, t.name, CASE WHEN t.kind = 'person' THEN t.text END AS text,
      CASE WHEN t.kind = 'person' THEN t.image END AS image`;

/** The listed team with address $2 in event $1, also if the address is an earlier one. */
export const BY_SLUG: Statement = {
  name: 'team_by_slug',
  text: `SELECT ${CHOSEN} FROM team t WHERE t.event_id = $1 AND t.is_listed AND t.slug = $2
    UNION ALL
    SELECT ${CHOSEN} FROM team_old_slug old JOIN team t ON t.id = old.team_id
    WHERE old.event_id = $1 AND t.is_listed AND old.slug = $2 AND old.kept_until > now() LIMIT 1`,
};

/** True if team $2 belongs to event $1. */
export const IN_EVENT: Statement = {
  name: 'team_in_event',
  text: 'SELECT 1 AS one FROM team WHERE event_id = $1 AND id = $2',
};

/** True if a donation names team $1, or did so while it counted. */
export const HAS_DONATIONS: Statement = {
  name: 'team_has_donations',
  text: `SELECT 1 AS one FROM donation WHERE team_id = $1
    UNION ALL SELECT 1 FROM team_gift WHERE team_id = $1 LIMIT 1`,
};

/** Tables of the guest list of event $1 without a team, and their guests. A team has a table if its number or name is the table. */
export const TABLES_OF_GUESTS: Statement = {
  name: 'team_tables_of_guests',
  text: `SELECT min(btrim(g.table_name)) AS "table", count(*)::int AS guests FROM guest g
    WHERE g.event_id = $1 AND btrim(g.table_name) <> '' AND NOT EXISTS (
      SELECT FROM team t WHERE t.event_id = g.event_id
        AND (t.number::text = btrim(g.table_name) OR lower(t.name) = lower(btrim(g.table_name))))
    GROUP BY lower(btrim(g.table_name)) ORDER BY 1`,
};
