-- migrate: no transaction
-- Few donations give something back; the list finds them among all others.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_refunded_idx ON donation (id) WHERE refunded_amount > 0;
