-- migrate: no transaction
-- Who held up a paddle, when they come to pay.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_paddle_idx ON donation (paddle, event_id, id) WHERE paddle IS NOT NULL;
