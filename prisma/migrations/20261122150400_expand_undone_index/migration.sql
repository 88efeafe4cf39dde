-- migrate: no transaction
-- Why a donation was cancelled: few were undone by whoever recorded them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_history_undone_idx ON donation_history (donation_id)
  WHERE to_status = 'CANCELLED' AND reason = 'undone';
