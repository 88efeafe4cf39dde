-- migrate: no transaction
-- Messages after a position.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS outbox_position_idx ON outbox (position) WHERE position IS NOT NULL;
