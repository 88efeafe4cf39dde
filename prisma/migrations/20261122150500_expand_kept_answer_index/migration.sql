-- migrate: no transaction
-- Answers that are kept about an erased donor.
CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_key_donation_idx ON idempotency_key (donation_id) WHERE answer IS NOT NULL;
