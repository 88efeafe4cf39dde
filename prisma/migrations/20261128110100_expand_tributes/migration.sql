-- A donation in honour or in memory of somebody: kind, name, and a message with the e-mail address of a person to notify.
ALTER TABLE donation ADD COLUMN tribute JSONB;
ALTER TABLE donation ADD COLUMN tribute_state message_state;
-- Keyed digest of the e-mail address of the person to notify.
ALTER TABLE donation ADD COLUMN notified_key BYTEA;

-- E-mail addresses that want no e-mails about tributes, as the keyed digest of `donation`.
CREATE TABLE tribute_opt_out (
  address_key BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT tribute_opt_out_pkey PRIMARY KEY (address_key)
);
