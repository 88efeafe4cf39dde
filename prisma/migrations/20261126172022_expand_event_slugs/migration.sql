-- As the keys of donations. Few rows: their indexes are made again in a moment.
ALTER TABLE event ALTER COLUMN slug TYPE TEXT COLLATE "C";
