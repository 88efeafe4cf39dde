-- The rows stay as they are, and so does the index that was made before: the table is locked for a moment only.
-- A check would be made again for every row under that lock; it is validated beside the traffic by the next migration.
DROP INDEX donation_provider_payment_id_key, donation_provider_capture_id_key, donation_receipt_number_key;
ALTER TABLE donation
  DROP CONSTRAINT donation_payment_has_provider,
  ALTER COLUMN payment_id TYPE TEXT COLLATE "C",
  ALTER COLUMN capture_id TYPE TEXT COLLATE "C",
  ALTER COLUMN receipt_number TYPE TEXT COLLATE "C";
ALTER TABLE donation ADD CONSTRAINT donation_payment_has_provider
  CHECK (provider IS NOT NULL OR (payment_id IS NULL AND capture_id IS NULL)) NOT VALID;
ALTER INDEX donation_payment_bytes RENAME TO donation_provider_payment_id_key;
ALTER INDEX donation_capture_bytes RENAME TO donation_provider_capture_id_key;
ALTER INDEX donation_receipt_bytes RENAME TO donation_receipt_number_key;
