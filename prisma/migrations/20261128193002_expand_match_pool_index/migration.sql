-- migrate: no transaction
-- The payments of matchers: few among many.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_match_pool_idx ON donation (match_pool_id)
  WHERE match_pool_id IS NOT NULL;
