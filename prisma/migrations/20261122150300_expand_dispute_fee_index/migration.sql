-- migrate: no transaction
-- What disputes cost, in the summary of an evening.
CREATE INDEX CONCURRENTLY IF NOT EXISTS dispute_fee_idx ON dispute (donation_id) WHERE fee > 0 AND fee_currency IS NOT NULL;
