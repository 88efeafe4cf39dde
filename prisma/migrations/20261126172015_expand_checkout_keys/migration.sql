-- The rows stay as they are, and so does the index that was made before: the table is locked for a moment only.
DROP INDEX checkout_key_idx;
ALTER TABLE checkout ALTER COLUMN key TYPE TEXT COLLATE "C";
ALTER INDEX checkout_bytes RENAME TO checkout_key_idx;
