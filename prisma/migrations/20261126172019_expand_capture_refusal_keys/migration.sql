-- As the keys of donations. Few rows: their indexes are made again in a moment.
ALTER TABLE capture_refusal ALTER COLUMN payment_id TYPE TEXT COLLATE "C";
