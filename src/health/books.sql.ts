import { OLDEST_UNPUBLISHED, UNPUBLISHED } from '../outbox/outbox.sql.js';
import type { Statement } from '../data/database.js';

const MOST = 10_000;

/** A broadcast or a follower usually takes less than a second. After this time, it counts as stuck. */
export const LATE_SECONDS = 60;

// Each count reads a partial index and stops at the maximum number.
export const READ = {
  query_timeout: 5_000,
  name: 'health_books',
  text: `SELECT
    (SELECT count(*)::int FROM (SELECT FROM donation
      WHERE provider IS NOT NULL AND status IN ('PENDING', 'FAILED') LIMIT ${MOST}) d) AS "unsettledDonations",
    (SELECT count(*)::int FROM (SELECT FROM refund
      WHERE status IN ('requested', 'pending') LIMIT ${MOST}) r) AS "unsettledRefunds",
    (SELECT count(*)::int FROM (SELECT FROM review_item
      WHERE resolved_at IS NULL LIMIT ${MOST}) a) AS "openReviewItems",
    (SELECT count(*)::int FROM follower_position
      WHERE held_since < now() - make_interval(secs => ${LATE_SECONDS})) AS "stalledFollowers",
    coalesce(extract(epoch FROM clock_timestamp() - ${OLDEST_UNPUBLISHED})::float8, 0) AS "oldestUnpublished",
    coalesce((SELECT extract(epoch FROM finished_at)::float8 FROM last_backup), 0) AS "lastBackup"`,
};

/** $1: seconds; $2: maximum number of events. */
export const STANDING_STILL: Statement = {
  name: 'relay_standing_still',
  text: `SELECT event_id, min(created_at) AS since FROM (${UNPUBLISHED}) AS waiting
     GROUP BY event_id HAVING min(created_at) < now() - make_interval(secs => $1) ORDER BY since LIMIT $2`,
};

/** Subjects of open review items about events that have no waiting broadcasts any more. */
export const MOVING_AGAIN: Statement = {
  name: 'relay_moving_again',
  text: `SELECT subject FROM review_item r WHERE kind = 'relay_stalled' AND resolved_at IS NULL
     AND NOT EXISTS (SELECT FROM (${UNPUBLISHED}) AS waiting WHERE 'event:' || waiting.event_id = r.subject)`,
};
