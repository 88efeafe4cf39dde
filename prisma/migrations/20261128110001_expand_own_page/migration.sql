-- Links to the donor's own page, valid once for 20 minutes. The token itself is not stored.
CREATE TABLE donor_link (
  token_digest BYTEA NOT NULL,
  donor_key BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3),
  CONSTRAINT donor_link_pkey PRIMARY KEY (token_digest),
  CONSTRAINT donor_link_digest CHECK (octet_length(token_digest) = 32)
);
CREATE INDEX donor_link_donor_key_idx ON donor_link (donor_key);
CREATE INDEX donor_link_expires_at_idx ON donor_link (expires_at);

-- Browsers that are signed in to the donor's own page. The token itself is not stored.
CREATE TABLE donor_session (
  token_digest BYTEA NOT NULL,
  donor_key BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  used_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT donor_session_pkey PRIMARY KEY (token_digest),
  CONSTRAINT donor_session_digest CHECK (octet_length(token_digest) = 32)
);
CREATE INDEX donor_session_donor_key_idx ON donor_session (donor_key);
CREATE INDEX donor_session_used_at_idx ON donor_session (used_at);
