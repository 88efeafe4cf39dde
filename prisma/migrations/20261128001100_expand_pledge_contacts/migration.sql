-- The e-mails and letters about each pledge. The key prevents a second e-mail of the same step.
CREATE TABLE pledge_contact (
  pledge_id UUID NOT NULL,
  step TEXT COLLATE "C" NOT NULL,
  email_id UUID,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT pledge_contact_pkey PRIMARY KEY (pledge_id, step),
  CONSTRAINT pledge_contact_pledge_id_fkey FOREIGN KEY (pledge_id) REFERENCES donation (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT pledge_contact_email_id_fkey FOREIGN KEY (email_id) REFERENCES email (id) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT pledge_contact_step CHECK (step ~ '^(thanks|day-[1-9][0-9]{0,2}|last|asked|letter)$')
);
CREATE INDEX pledge_contact_email_id_idx ON pledge_contact (email_id);

-- E-mail addresses that want no e-mails about pledges, as keyed digests.
CREATE TABLE pledge_opt_out (
  donor_key BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT pledge_opt_out_pkey PRIMARY KEY (donor_key)
);
