-- What the provider itself says of a dispute, and until when it wants an answer.
ALTER TABLE dispute
  ADD COLUMN provider_status TEXT,
  ADD COLUMN reason TEXT,
  ADD COLUMN is_inquiry BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN needs_answer BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN due_by TIMESTAMPTZ(3),
  ADD COLUMN fee BIGINT,
  ADD COLUMN fee_currency TEXT,
  ADD COLUMN money_is_refund BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN as_of TIMESTAMPTZ(3);

-- What the provider kept of a payment, and when a settled one is asked about again.
ALTER TABLE donation
  ADD COLUMN fee BIGINT,
  ADD COLUMN fee_currency TEXT,
  ADD COLUMN next_check_at TIMESTAMPTZ(3);
CREATE INDEX donation_next_check_idx ON donation (provider, next_check_at, paid_at)
  WHERE provider IS NOT NULL AND status IN ('COMPLETED', 'REFUNDED');

-- What a person must do by a time, and the provider's own words about it.
ALTER TABLE review_item
  ADD COLUMN due_by TIMESTAMPTZ(3),
  ADD COLUMN particulars JSONB;
ALTER TYPE review_kind ADD VALUE 'payment_missing';

-- Webhook events about a payment that no donation is known for stay open until there is one.
ALTER TABLE webhook_event ADD COLUMN payment_id TEXT;
CREATE INDEX webhook_event_open_idx ON webhook_event (provider, payment_id)
  WHERE donation_id IS NULL AND payment_id IS NOT NULL;

-- What reconciliation could not ask about, and since when: only what lasts becomes a review item.
CREATE TABLE reconciliation_failure (
  subject TEXT NOT NULL,
  failures INTEGER NOT NULL,
  failing_since TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT reconciliation_failure_pkey PRIMARY KEY (subject)
);
