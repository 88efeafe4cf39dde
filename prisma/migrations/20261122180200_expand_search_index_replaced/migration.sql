-- migrate: no transaction
-- The index before it does everything that this one did, for the release before, too; two would cost every record twice.
DROP INDEX CONCURRENTLY IF EXISTS donation_search_idx;
