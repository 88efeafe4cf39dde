-- What the Prisma schema cannot say: checks, partial and expression indexes, storage settings.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

ALTER TABLE admin
  ADD CONSTRAINT admin_email_lower CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 320);

ALTER TABLE staff_member
  ADD CONSTRAINT staff_member_name_length CHECK (length(name) BETWEEN 1 AND 200),
  -- A removed member has no PIN; a present one always has both forms of it.
  ADD CONSTRAINT staff_member_pin_present CHECK (
    (deleted_at IS NULL) = (pin_digest IS NOT NULL) AND (pin_digest IS NULL) = (pin_sealed IS NULL)
  );

ALTER TABLE event
  ADD CONSTRAINT event_slug_form CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) BETWEEN 1 AND 100),
  ADD CONSTRAINT event_name_length CHECK (length(name) BETWEEN 1 AND 200),
  ADD CONSTRAINT event_goal_range CHECK (goal_amount BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT event_currency_form CHECK (currency ~ '^[a-z]{3}$'),
  ADD CONSTRAINT event_overrides_object CHECK (jsonb_typeof(overrides) = 'object');

ALTER TABLE event_total
  ADD CONSTRAINT event_total_shard_range CHECK (shard BETWEEN 0 AND 15),
  SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

ALTER TABLE event_donor
  ADD CONSTRAINT event_donor_gifts_not_negative CHECK (gifts >= 0),
  SET (fillfactor = 80);

ALTER TABLE donation
  ADD CONSTRAINT donation_amount_range CHECK (amount BETWEEN 1 AND 9007199254740991),
  ADD CONSTRAINT donation_refunded_range CHECK (refunded_amount BETWEEN 0 AND amount),
  ADD CONSTRAINT donation_currency_form CHECK (currency ~ '^[a-z]{3}$'),
  ADD CONSTRAINT donation_refunded_fully CHECK (status <> 'REFUNDED' OR refunded_amount = amount),
  ADD CONSTRAINT donation_completed_at CHECK (status NOT IN ('COMPLETED', 'REFUNDED') OR completed_at IS NOT NULL),
  -- Online gifts have a provider, offline ones never; what is paid online was paid at some time.
  ADD CONSTRAINT donation_provider_by_type CHECK ((type IN ('card', 'wallet')) = (provider IS NOT NULL)),
  ADD CONSTRAINT donation_payment_has_provider CHECK (provider IS NOT NULL OR (payment_id IS NULL AND capture_id IS NULL)),
  ADD CONSTRAINT donation_paid_online CHECK (provider IS NULL OR status NOT IN ('COMPLETED', 'REFUNDED') OR paid_at IS NOT NULL),
  ADD CONSTRAINT donation_pledge_is_open CHECK (type <> 'pledge' OR status IN ('PENDING', 'CANCELLED'));

ALTER TABLE refund
  ADD CONSTRAINT refund_amount_positive CHECK (amount > 0),
  ADD CONSTRAINT refund_currency_form CHECK (currency ~ '^[a-z]{3}$');

ALTER TABLE dispute
  ADD CONSTRAINT dispute_amount_not_negative CHECK (amount >= 0),
  ADD CONSTRAINT dispute_currency_form CHECK (currency ~ '^[a-z]{3}$');

ALTER TABLE outbox
  ADD CONSTRAINT outbox_published_has_sequence CHECK (published_at IS NULL OR sequence IS NOT NULL);

ALTER TABLE global_settings
  ADD CONSTRAINT global_settings_one_row CHECK (id = 1),
  ADD CONSTRAINT global_settings_object CHECK (jsonb_typeof(value) = 'object');

-- The admin's search: a substring of name or e-mail, case-folded.
CREATE INDEX donation_search_idx ON donation
  USING gin ((lower(coalesce(donor_name, '') || ' ' || coalesce(donor_email, ''))) gin_trgm_ops);

-- What reconciliation asks for: online gifts that are not settled, refunds that are under way.
CREATE INDEX donation_unsettled_idx ON donation (id) WHERE provider IS NOT NULL AND status IN ('PENDING', 'FAILED');
CREATE INDEX refund_unsettled_idx ON refund (created_at) WHERE status IN ('requested', 'pending');

-- The relay's queue: usually empty, so looking at it costs a page.
CREATE INDEX outbox_unpublished_idx ON outbox (id) WHERE published_at IS NULL;
CREATE INDEX outbox_prune_idx ON outbox (published_at) WHERE published_at IS NOT NULL;

CREATE INDEX attention_open_idx ON attention_item (id) WHERE resolved_at IS NULL;
