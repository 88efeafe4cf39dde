-- Tablets and telephones that an admin enrolled, and the one-time codes for that.
CREATE TABLE terminal (
  id UUID NOT NULL,
  name TEXT NOT NULL,
  event_id UUID,
  token_digest BYTEA NOT NULL,
  staff_id UUID,
  waiting INTEGER NOT NULL DEFAULT 0,
  app_version TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_used_at TIMESTAMPTZ(3),
  released_at TIMESTAMPTZ(3),
  revoked_at TIMESTAMPTZ(3),
  CONSTRAINT terminal_pkey PRIMARY KEY (id),
  CONSTRAINT terminal_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT terminal_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff_member (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT terminal_name_length CHECK (length(name) BETWEEN 1 AND 100),
  CONSTRAINT terminal_waiting_not_negative CHECK (waiting >= 0)
);
CREATE UNIQUE INDEX terminal_token_digest_key ON terminal (token_digest);

CREATE TABLE terminal_code (
  code_digest BYTEA NOT NULL,
  name TEXT NOT NULL,
  event_id UUID,
  created_by UUID NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3),
  CONSTRAINT terminal_code_pkey PRIMARY KEY (code_digest),
  CONSTRAINT terminal_code_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX terminal_code_expires_at_idx ON terminal_code (expires_at);
