-- migrate: no transaction
-- The donations of a team.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_team_id_idx ON donation (team_id) WHERE team_id IS NOT NULL;
