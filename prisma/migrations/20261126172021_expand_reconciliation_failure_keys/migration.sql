-- As the keys of donations. Few rows: their indexes are made again in a moment.
ALTER TABLE reconciliation_failure ALTER COLUMN subject TYPE TEXT COLLATE "C";
