-- migrate: no transaction
-- Tributes with an address to notify: few among many, read every 20 seconds.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_notified_idx ON donation (notified_key, completed_at)
  WHERE notified_key IS NOT NULL;
