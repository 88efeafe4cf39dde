-- As the keys of donations. Few rows: their indexes are made again in a moment.
ALTER TABLE refund
  ALTER COLUMN payment_id TYPE TEXT COLLATE "C",
  ALTER COLUMN capture_id TYPE TEXT COLLATE "C",
  ALTER COLUMN provider_refund_id TYPE TEXT COLLATE "C",
  ALTER COLUMN idempotency_key TYPE TEXT COLLATE "C";
