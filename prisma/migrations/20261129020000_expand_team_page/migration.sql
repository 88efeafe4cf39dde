-- The page of a person: a text and a picture.
ALTER TABLE team
  ADD COLUMN text TEXT COLLATE "C",
  ADD COLUMN image TEXT COLLATE "C" REFERENCES image (digest) ON DELETE SET NULL ON UPDATE CASCADE;
