-- The link or code that led an online donor to the donate page, such as `table-7`. Null: not known.
ALTER TABLE donation ADD COLUMN source TEXT;
