-- What providers paid out to the charity's bank, and what is in each.
CREATE TABLE payout (
  provider TEXT NOT NULL,
  provider_payout_id TEXT NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  status TEXT NOT NULL,
  arrives_at TIMESTAMPTZ(3) NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  is_itemized BOOLEAN NOT NULL DEFAULT false,
  read_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT payout_pkey PRIMARY KEY (provider, provider_payout_id)
);
CREATE INDEX payout_arrives_at_idx ON payout (arrives_at);

CREATE TABLE payout_item (
  provider TEXT NOT NULL,
  provider_item_id TEXT NOT NULL,
  provider_payout_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  fee BIGINT NOT NULL,
  net BIGINT NOT NULL,
  currency TEXT NOT NULL,
  payment_id TEXT,
  occurred_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT payout_item_pkey PRIMARY KEY (provider, provider_item_id),
  CONSTRAINT payout_item_payout_fkey FOREIGN KEY (provider, provider_payout_id)
    REFERENCES payout (provider, provider_payout_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX payout_item_payout_idx ON payout_item (provider_payout_id, provider);
CREATE INDEX payout_item_payment_idx ON payout_item (provider, payment_id);

-- Whether a provider answers, when it was last heard, and when its payouts were last read.
CREATE TABLE provider_health (
  provider TEXT NOT NULL,
  last_ok_at TIMESTAMPTZ(3),
  last_failed_at TIMESTAMPTZ(3),
  failing_since TIMESTAMPTZ(3),
  last_webhook_at TIMESTAMPTZ(3),
  payouts_read_at TIMESTAMPTZ(3),
  payouts_problem TEXT,
  CONSTRAINT provider_health_pkey PRIMARY KEY (provider)
);

-- Refusals of captures are forgotten once they are old and their donation is settled.
ALTER TABLE capture_refusal ADD COLUMN updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
CREATE INDEX capture_refusal_updated_at_idx ON capture_refusal (updated_at);
