ALTER TABLE donation ADD COLUMN is_amount_hidden boolean NOT NULL DEFAULT false;
