ALTER TABLE image ADD COLUMN edge_tones bytea;
