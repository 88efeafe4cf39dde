-- migrate: no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_provider_idx ON donation (provider, id) WHERE provider IS NOT NULL;
