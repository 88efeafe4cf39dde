-- migrate: no transaction
-- Keys that machines make are compared byte by byte, whatever the operating system says about the order of text. This index is
-- made beside the traffic; the migration that changes the column takes it over without building it again.
CREATE INDEX CONCURRENTLY IF NOT EXISTS checkout_bytes ON checkout (key COLLATE "C");
