-- migrate: no transaction
-- What waits for a moderator: few among many, counted whenever somebody looks at the evening.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_held_idx ON donation (event_id)
  WHERE status = 'COMPLETED' AND (message_state = 'held' OR name_state = 'held');
