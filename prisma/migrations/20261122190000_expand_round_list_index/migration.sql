-- migrate: no transaction
-- The list of a round's pledges in the order of lists.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_round_id_idx ON donation (round_id, id) WHERE round_id IS NOT NULL;
