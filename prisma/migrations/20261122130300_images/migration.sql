-- Pictures that admins upload, as they were encoded anew: in the database, so that backups have them.
CREATE TABLE image (
  digest TEXT NOT NULL,
  content BYTEA NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT image_pkey PRIMARY KEY (digest)
);
-- WebP is compressed already.
ALTER TABLE image ALTER COLUMN content SET STORAGE EXTERNAL;
