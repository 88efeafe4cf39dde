-- The code with which anybody can check a receipt. Null: the receipt was issued without a code, so its copies print none.
ALTER TABLE receipt ADD COLUMN check_code TEXT COLLATE "C";
