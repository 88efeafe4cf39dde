-- A structured postal address. `donor_address` keeps the same address as text, in the order of its country.
ALTER TABLE donation ADD COLUMN address JSONB;

-- The exact texts of Gift Aid declarations. A text is never changed: another text has another digest.
CREATE TABLE gift_aid_text (
  digest BYTEA NOT NULL,
  version TEXT NOT NULL,
  scope TEXT NOT NULL,
  text TEXT NOT NULL,
  CONSTRAINT gift_aid_text_pkey PRIMARY KEY (digest),
  CONSTRAINT gift_aid_text_scope CHECK (scope IN ('this', 'past_and_future'))
);

-- Gift Aid declarations. A donation has at most one of its own.
CREATE TABLE gift_aid_declaration (
  id UUID NOT NULL,
  donation_id UUID NOT NULL,
  donor_key BYTEA,
  text_digest BYTEA NOT NULL,
  scope TEXT NOT NULL,
  channel TEXT NOT NULL,
  language TEXT,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  address JSONB NOT NULL,
  declared_at TIMESTAMPTZ(3) NOT NULL,
  cancelled_at TIMESTAMPTZ(3),
  cancel_reason TEXT,
  sealed_at TIMESTAMPTZ(3),
  keep_until DATE,
  CONSTRAINT gift_aid_declaration_pkey PRIMARY KEY (id),
  CONSTRAINT gift_aid_declaration_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT gift_aid_declaration_text_digest_fkey FOREIGN KEY (text_digest) REFERENCES gift_aid_text (digest)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT gift_aid_declaration_scope CHECK (scope IN ('this', 'past_and_future')),
  CONSTRAINT gift_aid_declaration_channel CHECK (channel IN ('online', 'written')),
  -- A sealed declaration is kept only because the law asks for it, so it has an end.
  CONSTRAINT gift_aid_declaration_sealed CHECK ((sealed_at IS NULL) = (keep_until IS NULL))
);
CREATE UNIQUE INDEX gift_aid_declaration_donation_id_key ON gift_aid_declaration (donation_id);
CREATE INDEX gift_aid_declaration_donor_key_idx ON gift_aid_declaration (donor_key);
CREATE INDEX gift_aid_declaration_text_digest_idx ON gift_aid_declaration (text_digest);
CREATE INDEX gift_aid_declaration_keep_until_idx ON gift_aid_declaration (keep_until);
