-- The rows stay as they are, and so does the index that was made before: the table is locked for a moment only.
ALTER TABLE idempotency_key
  DROP CONSTRAINT idempotency_key_pkey,
  ALTER COLUMN scope TYPE TEXT COLLATE "C",
  ALTER COLUMN key TYPE TEXT COLLATE "C";
ALTER TABLE idempotency_key ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY USING INDEX idempotency_key_bytes;
