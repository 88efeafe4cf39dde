-- migrate: no transaction
-- The story of a donation.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_event_donation_idx ON webhook_event (donation_id)
  WHERE donation_id IS NOT NULL;
