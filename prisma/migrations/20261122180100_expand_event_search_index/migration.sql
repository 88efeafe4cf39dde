-- migrate: no transaction
-- The search for a part of a name or e-mail, in one event or in all. Three letters alone are in a fifth of all names;
-- with the event, what is read is what is found.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_event_search_idx ON donation
  USING gin (event_id, (lower(coalesce(donor_name, '') || ' ' || coalesce(donor_email, ''))) gin_trgm_ops);
