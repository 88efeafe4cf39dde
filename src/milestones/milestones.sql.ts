import { unpaidMatches } from '../match/match.sql.js';
import type { Statement } from '../data/database.js';
import { openPledges, raised } from '../totals/totals.sql.js';

/** The columns of a milestone, and the currency and goal of its event. */
const MILESTONE = `SELECT milestone.id, milestone.event_id, milestone.amount, milestone.basis, milestone.kind, milestone.title,
    milestone.short, milestone.text, milestone.image, milestone.is_visible, milestone.announce, milestone.reached_at,
    milestone.reached_total, milestone.announced_at, milestone.done_at, milestone.done_by_id, milestone.withdrawn_at,
    milestone.withdrawal_reason, milestone.created_at, event.currency, event.goal_amount
  FROM milestone JOIN event ON event.id = milestone.event_id`;

/** $1: event. Lowest first. */
export const MILESTONES_OF_EVENT: Statement = {
  name: 'milestones_of_event',
  text: `${MILESTONE} WHERE milestone.event_id = $1 ORDER BY milestone.amount, milestone.basis, milestone.id`,
};

export const MILESTONE_BY_ID: Statement = {
  name: 'milestone_by_id',
  text: `${MILESTONE} WHERE milestone.id = $1`,
};

/** Like `MILESTONE_BY_ID`. The follower and other changes of this milestone wait until the commit. */
export const LOCK_MILESTONE: Statement = {
  name: 'milestone_lock',
  text: `${MILESTONE} WHERE milestone.id = $1 FOR NO KEY UPDATE OF milestone`,
};

/** $1: event. The promises are zero unless a milestone of the event compares them. */
export const SUMS: Statement = {
  name: 'milestone_sums',
  text: `SELECT (${raised('event.id', 'event.currency')}) AS raised,
      CASE WHEN EXISTS (SELECT 1 FROM milestone WHERE milestone.event_id = event.id AND milestone.basis = 'with_promises')
        THEN (${openPledges('event.id', 'event.currency')}) ELSE 0 END AS promised,
      CASE WHEN EXISTS (SELECT 1 FROM milestone WHERE milestone.event_id = event.id AND milestone.basis = 'with_matches')
        THEN (${unpaidMatches('event.id')}) ELSE 0 END AS matched
    FROM event WHERE event.id = $1`,
};

/** The milestones that an event has not reached, lowest first. */
export const WAITING: Statement = {
  name: 'milestones_waiting',
  text: `SELECT id, amount, basis FROM milestone WHERE event_id = $1 AND reached_at IS NULL ORDER BY amount, basis, id`,
};

/**
 * Marks a milestone as reached. No row if it was reached or changed at the same time. A hidden milestone is never announced.
 * $1: milestone; $2: the sum; $3: its basis; $4: `rule`, as `announce` says; `now`; or `never`
 */
export const REACH: Statement = {
  name: 'milestone_reach',
  text: `UPDATE milestone SET reached_at = now(), reached_total = $2,
      announced_at = CASE WHEN is_visible AND ($4::text = 'now' OR $4::text = 'rule' AND announce = 'by_itself') THEN now() END
    WHERE id = $1 AND reached_at IS NULL AND basis = $3 AND amount <= $2
    RETURNING announced_at IS NOT NULL AS is_announced`,
};

/** Events of which an unreached milestone compares pledges. A pledge outside a round has no message in the feed. */
export const EVENTS_WITH_PROMISES: Statement = {
  name: 'milestones_with_promises',
  text: `SELECT DISTINCT event_id FROM milestone WHERE reached_at IS NULL AND basis = 'with_promises'`,
};

export const COUNT: Statement = {
  name: 'milestones_count',
  text: 'SELECT count(*)::int AS count FROM milestone WHERE event_id = $1',
};

export const INSERT: Statement = {
  name: 'milestone_insert',
  text: `INSERT INTO milestone (id, event_id, amount, basis, kind, title, short, text, image, is_visible, announce)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

export const UPDATE: Statement = {
  name: 'milestone_update',
  text: `UPDATE milestone SET amount = $2, basis = $3, kind = $4, title = $5, short = $6, text = $7, image = $8,
      is_visible = $9, announce = $10, updated_at = now() WHERE id = $1`,
};

export const DELETE: Statement = { name: 'milestone_delete', text: 'DELETE FROM milestone WHERE id = $1' };

export const ANNOUNCE: Statement = {
  name: 'milestone_announce',
  text: 'UPDATE milestone SET announced_at = now() WHERE id = $1',
};

/** $2: kind of the user, $3: user; both null to remove the mark. */
export const SET_DONE: Statement = {
  name: 'milestone_set_done',
  text: `UPDATE milestone SET done_at = CASE WHEN $2::actor_kind IS NOT NULL THEN now() END,
      done_by_kind = $2::actor_kind, done_by_id = $3 WHERE id = $1`,
};

export const WITHDRAW: Statement = {
  name: 'milestone_withdraw',
  text: `UPDATE milestone SET reached_at = NULL, reached_total = NULL, announced_at = NULL, done_at = NULL,
      done_by_kind = NULL, done_by_id = NULL, withdrawn_at = now(), withdrawal_reason = $2, updated_at = now()
    WHERE id = $1`,
};

export const HAS_IMAGE: Statement = {
  name: 'milestone_has_image',
  text: 'SELECT 1 AS one FROM image WHERE digest = $1 FOR KEY SHARE',
};

/** The milestones that guests may see. $1: events. Lowest first. */
export const SHOWN: Statement = {
  name: 'milestones_shown',
  text: `${MILESTONE} WHERE milestone.event_id = ANY($1::uuid[]) AND milestone.is_visible AND event.status <> 'archived'
    ORDER BY milestone.amount, milestone.basis, milestone.id`,
};

/** $1: milestones that the walls announce. */
export const ANNOUNCED: Statement = {
  name: 'milestones_announced',
  text: `${MILESTONE} WHERE milestone.id = ANY($1::uuid[]) AND milestone.is_visible AND milestone.announced_at IS NOT NULL
    AND event.status <> 'archived'`,
};
