-- migrate: no transaction
-- Keys that machines make are compared byte by byte, whatever the operating system says about the order of text. This index is
-- made beside the traffic; the migration that changes the column takes it over without building it again.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS payout_item_bytes ON payout_item (provider, provider_item_id COLLATE "C");
