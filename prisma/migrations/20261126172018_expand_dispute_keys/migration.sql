-- As the keys of donations. Few rows: their indexes are made again in a moment.
ALTER TABLE dispute
  ALTER COLUMN payment_id TYPE TEXT COLLATE "C",
  ALTER COLUMN provider_dispute_id TYPE TEXT COLLATE "C";
