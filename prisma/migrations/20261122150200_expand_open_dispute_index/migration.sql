-- migrate: no transaction
-- Open disputes are few; explained totals name them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS dispute_open_idx ON dispute (donation_id) WHERE status = 'open';
