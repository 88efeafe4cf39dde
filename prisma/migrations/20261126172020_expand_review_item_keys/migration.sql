-- As the keys of donations. Few rows: their indexes are made again in a moment.
ALTER TABLE review_item ALTER COLUMN subject TYPE TEXT COLLATE "C";
