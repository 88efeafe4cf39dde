-- The rows stay as they are, and so does the index that was made before: the table is locked for a moment only.
ALTER TABLE provider_request DROP CONSTRAINT provider_request_pkey, ALTER COLUMN key TYPE TEXT COLLATE "C";
ALTER TABLE provider_request ADD CONSTRAINT provider_request_pkey PRIMARY KEY USING INDEX provider_request_bytes;
