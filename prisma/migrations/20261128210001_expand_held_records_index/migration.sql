-- migrate: no transaction
-- Large records that wait for a second person.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_held_record_idx ON donation (event_id, id)
  WHERE status = 'COMPLETED' AND wall_state = 'held';
