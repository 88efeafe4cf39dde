-- A paddle raise: one row for each amount that is called.
CREATE TABLE pledge_round (
  id UUID NOT NULL,
  event_id UUID NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  name TEXT,
  actor_kind actor_kind NOT NULL,
  actor_id TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  closed_at TIMESTAMPTZ(3),
  CONSTRAINT pledge_round_pkey PRIMARY KEY (id),
  CONSTRAINT pledge_round_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT pledge_round_amount_positive CHECK (amount > 0),
  CONSTRAINT pledge_round_currency_form CHECK (currency ~ '^[a-z]{3}$')
);
CREATE INDEX pledge_round_event_id_id_idx ON pledge_round (event_id, id);

-- Online donations that were opened to pay a pledge.
CREATE TABLE pledge_payment (
  donation_id UUID NOT NULL,
  pledge_id UUID NOT NULL,
  CONSTRAINT pledge_payment_pkey PRIMARY KEY (donation_id),
  CONSTRAINT pledge_payment_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT pledge_payment_pledge_id_fkey FOREIGN KEY (pledge_id) REFERENCES donation (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX pledge_payment_pledge_id_idx ON pledge_payment (pledge_id);

-- News about a round are part of the event's feed.
ALTER TABLE outbox ADD COLUMN round_id UUID;
