-- The guest list of an event. Guests are no donors before they give.
CREATE TABLE guest (
  id UUID NOT NULL,
  event_id UUID NOT NULL,
  name TEXT NOT NULL,
  email TEXT,
  donor_key BYTEA,
  phone TEXT,
  table_name TEXT,
  seat TEXT,
  paddle TEXT COLLATE "C",
  paddle_given_at TIMESTAMPTZ(3),
  shares_paddle_with UUID,
  contested_paddle TEXT,
  party TEXT,
  note TEXT,
  is_vip BOOLEAN NOT NULL DEFAULT false,
  needs_help BOOLEAN NOT NULL DEFAULT false,
  checked_in_at TIMESTAMPTZ(3),
  checked_in_by_kind actor_kind,
  checked_in_by_id TEXT,
  checked_in_by_name TEXT,
  checked_in_terminal_id UUID,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT guest_pkey PRIMARY KEY (id),
  CONSTRAINT guest_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT guest_shares_paddle_with_fkey FOREIGN KEY (shares_paddle_with) REFERENCES guest (id)
    ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT guest_checked_in_terminal_id_fkey FOREIGN KEY (checked_in_terminal_id) REFERENCES terminal (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  -- A guest who shares a paddle has none of their own.
  CONSTRAINT guest_one_paddle CHECK (paddle IS NULL OR shares_paddle_with IS NULL)
);
CREATE UNIQUE INDEX guest_event_id_paddle_key ON guest (event_id, paddle);
CREATE INDEX guest_event_id_name_id_idx ON guest (event_id, name, id);
CREATE INDEX guest_event_id_updated_at_idx ON guest (event_id, updated_at);
CREATE INDEX guest_donor_key_idx ON guest (donor_key);
CREATE INDEX guest_shares_paddle_with_idx ON guest (shares_paddle_with);

-- The guest whose paddle was raised. The guest may be erased later, so the column has no foreign key.
ALTER TABLE donation ADD COLUMN guest_id UUID;
