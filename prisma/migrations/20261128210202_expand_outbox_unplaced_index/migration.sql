-- migrate: no transaction
-- Messages that an earlier release numbered. They get a position when this release starts.
CREATE INDEX CONCURRENTLY IF NOT EXISTS outbox_unplaced_idx ON outbox (id) WHERE sequence IS NOT NULL AND position IS NULL;
