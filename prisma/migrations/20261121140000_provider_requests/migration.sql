-- What is sent under a key of a provider, written down before it is sent.
CREATE TABLE provider_request (
  provider TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT provider_request_pkey PRIMARY KEY (provider, key)
);
CREATE INDEX provider_request_created_at_idx ON provider_request (created_at);

-- How often the capture of a payment was refused, and when it was last declined.
CREATE TABLE capture_refusal (
  provider TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  refusals INTEGER NOT NULL,
  reason TEXT NOT NULL,
  declined_at TIMESTAMPTZ(3),
  CONSTRAINT capture_refusal_pkey PRIMARY KEY (provider, payment_id)
);

-- Donations that are tries of one checkout.
CREATE TABLE checkout (
  donation_id UUID NOT NULL,
  key TEXT NOT NULL,
  CONSTRAINT checkout_pkey PRIMARY KEY (donation_id),
  CONSTRAINT checkout_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX checkout_key_idx ON checkout (key);

ALTER TYPE review_kind ADD VALUE 'paid_twice';
ALTER TYPE review_kind ADD VALUE 'other_payee';
ALTER TYPE review_kind ADD VALUE 'unsettled_event';
