-- Keys with which other programs use the API. Only a digest of the secret is stored. Without events, a key covers all events.
CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  prefix text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  scopes text[] NOT NULL,
  event_ids uuid[] NOT NULL DEFAULT '{}',
  expires_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  created_by uuid REFERENCES admin (id) ON DELETE SET NULL ON UPDATE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3),
  CONSTRAINT api_key_digest_length CHECK (octet_length(digest) = 32),
  CONSTRAINT api_key_has_scopes CHECK (cardinality(scopes) > 0)
);
CREATE UNIQUE INDEX api_key_prefix_key ON api_key (prefix);
CREATE INDEX api_key_created_by_idx ON api_key (created_by);
