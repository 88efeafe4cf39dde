-- As the keys of donations. Few rows: their indexes are made again in a moment.
ALTER TABLE admin
  ALTER COLUMN idp_issuer TYPE TEXT COLLATE "C",
  ALTER COLUMN idp_subject TYPE TEXT COLLATE "C";
