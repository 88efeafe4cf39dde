-- migrate: no transaction
-- Tributes that wait for a moderator.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_held_tribute_idx ON donation (event_id)
  WHERE status = 'COMPLETED' AND tribute_state = 'held';
