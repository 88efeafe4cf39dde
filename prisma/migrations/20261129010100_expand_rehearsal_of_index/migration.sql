-- migrate: no transaction
-- An event has at most one rehearsal.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS event_rehearsal_of_key ON event (rehearsal_of);
