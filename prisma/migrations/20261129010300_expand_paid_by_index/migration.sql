-- migrate: no transaction
-- PostgreSQL looks for the pledges that a deleted donation paid. Without the index it reads all donations for each one.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_paid_by_idx ON donation (paid_by) WHERE paid_by IS NOT NULL;
