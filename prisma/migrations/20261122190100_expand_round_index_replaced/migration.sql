-- migrate: no transaction
-- The index before it does everything that this one did, for the release before, too.
DROP INDEX CONCURRENTLY IF EXISTS donation_round_idx;
