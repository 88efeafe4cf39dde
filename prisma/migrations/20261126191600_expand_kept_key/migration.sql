-- Keys that stay the same for ever although PIN_SECRET is replaced, sealed by it.
CREATE TABLE kept_key (
  purpose TEXT COLLATE "C" NOT NULL,
  sealed BYTEA NOT NULL,
  replaced_at TIMESTAMPTZ(3),
  CONSTRAINT kept_key_pkey PRIMARY KEY (purpose)
);
