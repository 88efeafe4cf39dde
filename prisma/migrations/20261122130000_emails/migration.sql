-- E-mails: one row each, written with the fact that they are about, sent by whichever process leads.
CREATE TYPE email_kind AS ENUM ('receipt', 'invitation');
CREATE TYPE email_state AS ENUM ('queued', 'sent', 'failed', 'bounced');

CREATE TABLE email (
  id UUID NOT NULL,
  kind email_kind NOT NULL,
  subject TEXT NOT NULL,
  donation_id UUID,
  state email_state NOT NULL DEFAULT 'queued',
  sealed BYTEA,
  round INTEGER NOT NULL DEFAULT 1,
  attempts INTEGER NOT NULL DEFAULT 0,
  is_copy BOOLEAN,
  last_error TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  next_attempt_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  claimed_until TIMESTAMPTZ(3),
  sent_at TIMESTAMPTZ(3),
  CONSTRAINT email_pkey PRIMARY KEY (id),
  CONSTRAINT email_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX email_kind_subject_key ON email (kind, subject);
CREATE INDEX email_donation_id_idx ON email (donation_id);
CREATE INDEX email_state_id_idx ON email (state, id);
-- The queue: usually empty, so looking at it costs a page.
CREATE INDEX email_due_idx ON email (next_attempt_at, id) WHERE state = 'queued';

-- The language that the donor read the page in.
ALTER TABLE donation ADD COLUMN locale TEXT;

ALTER TYPE review_kind ADD VALUE 'email_failed';
