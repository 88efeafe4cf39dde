-- migrate: no transaction
-- Donations by the time of their last change.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_updated_at_id_idx ON donation (updated_at, id);
