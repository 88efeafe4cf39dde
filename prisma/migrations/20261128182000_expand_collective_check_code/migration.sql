-- The code for the public check of a collective receipt, and its printed total, which is not personal data. Null in earlier ones.
ALTER TABLE collective_receipt ADD COLUMN check_code TEXT COLLATE "C", ADD COLUMN total BIGINT, ADD COLUMN currency TEXT;
