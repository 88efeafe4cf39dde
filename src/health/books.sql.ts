import { OLDEST_UNPUBLISHED } from '../outbox/outbox.sql.js';

const MOST = 10_000;

// Each count reads its partial index, and never more of it than is shown.
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
    coalesce(extract(epoch FROM clock_timestamp() - ${OLDEST_UNPUBLISHED})::float8, 0) AS "oldestUnpublished",
    coalesce((SELECT extract(epoch FROM finished_at)::float8 FROM last_backup), 0) AS "lastBackup"`,
};
