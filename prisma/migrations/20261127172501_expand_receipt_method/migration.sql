-- The method that the receipt prints. Null: the receipt was issued without it, so a copy prints only the kind.
ALTER TABLE receipt ADD COLUMN method TEXT, ADD COLUMN wallet TEXT;
