-- Cards that guests saved for their pledges. A row without a guest or an event is deleted at the provider.
CREATE TABLE saved_card (
  id UUID NOT NULL,
  event_id UUID,
  guest_id UUID,
  state TEXT NOT NULL,
  end_reason TEXT,
  paddle TEXT COLLATE "C" NOT NULL,
  limit_amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  pledged_until TIMESTAMPTZ(3) NOT NULL,
  valid_until TIMESTAMPTZ(3) NOT NULL,
  text_digest BYTEA NOT NULL,
  text_version TEXT NOT NULL,
  text_language TEXT NOT NULL,
  agreed_at TIMESTAMPTZ(3) NOT NULL,
  provider TEXT NOT NULL,
  customer_id TEXT COLLATE "C",
  setup_id TEXT COLLATE "C",
  method_id TEXT COLLATE "C",
  brand TEXT,
  last4 TEXT,
  expires_on DATE,
  next_try_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  tries INTEGER NOT NULL DEFAULT 0,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  ended_at TIMESTAMPTZ(3),
  CONSTRAINT saved_card_pkey PRIMARY KEY (id),
  CONSTRAINT saved_card_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT saved_card_guest_id_fkey FOREIGN KEY (guest_id) REFERENCES guest (id) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT saved_card_state CHECK (state IN ('opening', 'ready', 'ending', 'ended')),
  CONSTRAINT saved_card_limit CHECK (limit_amount > 0)
);
-- A guest has at most one card that can be charged.
CREATE UNIQUE INDEX saved_card_one_ready ON saved_card (guest_id) WHERE state = 'ready';
CREATE INDEX saved_card_guest_id_idx ON saved_card (guest_id);
CREATE INDEX saved_card_event_id_idx ON saved_card (event_id);
CREATE INDEX saved_card_next_try_at_idx ON saved_card (next_try_at) WHERE state <> 'ended';

-- Charges of an event that an admin starts together.
CREATE TABLE card_batch (
  id UUID NOT NULL,
  event_id UUID NOT NULL,
  state TEXT NOT NULL,
  pledges INTEGER NOT NULL,
  total BIGINT NOT NULL,
  currency TEXT NOT NULL,
  started_by TEXT NOT NULL,
  confirmed_by TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  confirmed_at TIMESTAMPTZ(3),
  ended_at TIMESTAMPTZ(3),
  CONSTRAINT card_batch_pkey PRIMARY KEY (id),
  CONSTRAINT card_batch_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT card_batch_state CHECK (state IN ('waiting', 'announced', 'done', 'stopped'))
);
-- Two admins, or a double click, start one batch.
CREATE UNIQUE INDEX card_batch_one_open ON card_batch (event_id) WHERE state IN ('waiting', 'announced');
CREATE INDEX card_batch_event_id_idx ON card_batch (event_id);

-- The one charge of a pledge. A pledge that a provider was asked to charge is never charged again.
CREATE TABLE card_charge (
  pledge_id UUID NOT NULL,
  batch_id UUID NOT NULL,
  card_id UUID NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  state TEXT NOT NULL,
  code TEXT,
  email_id UUID,
  donation_id UUID,
  next_try_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  tries INTEGER NOT NULL DEFAULT 0,
  claimed_at TIMESTAMPTZ(3),
  settled_at TIMESTAMPTZ(3),
  CONSTRAINT card_charge_pkey PRIMARY KEY (pledge_id),
  CONSTRAINT card_charge_pledge_id_fkey FOREIGN KEY (pledge_id) REFERENCES donation (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT card_charge_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES card_batch (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT card_charge_card_id_fkey FOREIGN KEY (card_id) REFERENCES saved_card (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT card_charge_email_id_fkey FOREIGN KEY (email_id) REFERENCES email (id) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT card_charge_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT card_charge_state CHECK (state IN ('announced', 'charging', 'paid', 'failed', 'skipped', 'stopped')),
  -- A charge that a provider was asked for has its donation.
  CONSTRAINT card_charge_donation CHECK (state NOT IN ('charging', 'paid', 'failed') OR donation_id IS NOT NULL)
);
CREATE UNIQUE INDEX card_charge_donation_id_key ON card_charge (donation_id);
CREATE INDEX card_charge_batch_id_idx ON card_charge (batch_id);
CREATE INDEX card_charge_card_id_idx ON card_charge (card_id);
CREATE INDEX card_charge_email_id_idx ON card_charge (email_id);
CREATE INDEX card_charge_due_idx ON card_charge (next_try_at) WHERE state IN ('announced', 'charging');
