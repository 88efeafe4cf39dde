-- The pack that issued the receipt, its version, and the facts that it printed. Null: an acknowledgement, not a document for the
-- tax office.
ALTER TABLE receipt ADD COLUMN pack TEXT, ADD COLUMN pack_version TEXT, ADD COLUMN facts JSONB;
