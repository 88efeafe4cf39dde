-- The rows stay as they are, and so does the index that was made before: the table is locked for a moment only.
DROP INDEX email_kind_subject_key;
ALTER TABLE email ALTER COLUMN subject TYPE TEXT COLLATE "C";
ALTER INDEX email_bytes RENAME TO email_kind_subject_key;
