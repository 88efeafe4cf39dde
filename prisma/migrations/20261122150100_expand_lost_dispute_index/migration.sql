-- migrate: no transaction
-- Lost disputes are few; explained totals take them out of what was refunded.
CREATE INDEX CONCURRENTLY IF NOT EXISTS dispute_lost_idx ON dispute (donation_id) WHERE status = 'lost';
