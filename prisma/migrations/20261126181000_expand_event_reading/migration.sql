-- How far the webhook events of a provider were read, and those that could not be handled yet.
CREATE TABLE event_reading (
  provider TEXT COLLATE "C" NOT NULL,
  read_to TIMESTAMPTZ(3),
  newest TIMESTAMPTZ(3),
  reached TIMESTAMPTZ(3),
  read_at TIMESTAMPTZ(3),
  CONSTRAINT event_reading_pkey PRIMARY KEY (provider)
);

CREATE TABLE unhandled_event (
  provider TEXT COLLATE "C" NOT NULL,
  webhook_event_id TEXT COLLATE "C" NOT NULL,
  found_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  tried_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT unhandled_event_pkey PRIMARY KEY (provider, webhook_event_id)
);

-- Whether webhook events arrive at all, and which types are not sent.
ALTER TABLE provider_health
  ADD COLUMN missing_since TIMESTAMPTZ(3),
  ADD COLUMN unsubscribed_types TEXT,
  ADD COLUMN subscriptions_read_at TIMESTAMPTZ(3);
