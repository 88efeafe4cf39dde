-- The rows stay as they are, and so does the index that was made before: the table is locked for a moment only.
-- The index of the few open ones is made again with it.
ALTER TABLE webhook_event
  DROP CONSTRAINT webhook_event_pkey,
  ALTER COLUMN webhook_event_id TYPE TEXT COLLATE "C",
  ALTER COLUMN payment_id TYPE TEXT COLLATE "C";
ALTER TABLE webhook_event ADD CONSTRAINT webhook_event_pkey PRIMARY KEY USING INDEX webhook_event_bytes;
