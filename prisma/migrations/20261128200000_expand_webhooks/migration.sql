-- Systems that get messages about changes. The secrets are encrypted. `stopped_at` is the time at which an endpoint was paused or
-- disabled: messages that were skipped since then can be sent when it is enabled again.
CREATE TABLE webhook_endpoint (
  id UUID NOT NULL,
  url TEXT NOT NULL,
  description TEXT,
  topics TEXT[] NOT NULL,
  event_ids UUID[] NOT NULL,
  payload TEXT NOT NULL,
  secret_sealed BYTEA NOT NULL,
  old_secret_sealed BYTEA,
  old_secret_until TIMESTAMPTZ(3),
  status TEXT NOT NULL DEFAULT 'active',
  disabled_reason TEXT,
  stopped_at TIMESTAMPTZ(3),
  failing_since TIMESTAMPTZ(3),
  failures INTEGER NOT NULL DEFAULT 0,
  delivered_at TIMESTAMPTZ(3),
  created_by TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoint_payload CHECK (payload IN ('thin', 'full')),
  CONSTRAINT webhook_endpoint_status CHECK (status IN ('active', 'paused', 'disabled')),
  CONSTRAINT webhook_endpoint_old_secret CHECK ((old_secret_sealed IS NULL) = (old_secret_until IS NULL))
);

-- A message to one endpoint. `body` has no personal data. `next_at` is the time of the next attempt, or the time at which the
-- message was skipped.
CREATE TABLE webhook_message (
  id TEXT COLLATE "C" NOT NULL,
  endpoint_id UUID NOT NULL,
  topic TEXT NOT NULL,
  event_id UUID,
  subject_id UUID,
  occurred_at TIMESTAMPTZ(3) NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at TIMESTAMPTZ(3) NOT NULL,
  claimed_until TIMESTAMPTZ(3),
  last_status INTEGER,
  last_error TEXT,
  delivered_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhook_message_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_message_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT webhook_message_state CHECK (state IN ('waiting', 'delivered', 'failed', 'skipped'))
);
CREATE INDEX webhook_message_endpoint_id_id_idx ON webhook_message (endpoint_id, id);
CREATE INDEX webhook_message_created_at_idx ON webhook_message (created_at);
-- Few messages wait.
CREATE INDEX webhook_message_waiting_idx ON webhook_message (endpoint_id, next_at, id) WHERE state = 'waiting';

-- The last attempts of each message.
CREATE TABLE webhook_attempt (
  id UUID NOT NULL,
  message_id TEXT COLLATE "C" NOT NULL,
  endpoint_id UUID NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  is_success BOOLEAN NOT NULL,
  status INTEGER,
  milliseconds INTEGER NOT NULL,
  error TEXT,
  CONSTRAINT webhook_attempt_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_attempt_message_id_fkey FOREIGN KEY (message_id) REFERENCES webhook_message (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX webhook_attempt_message_id_id_idx ON webhook_attempt (message_id, id);
CREATE INDEX webhook_attempt_endpoint_id_at_idx ON webhook_attempt (endpoint_id, at);

-- The state of a donation in its last message. A difference decides the topic of the next message.
CREATE TABLE webhook_donation (
  donation_id UUID NOT NULL,
  status donation_status NOT NULL,
  refunded_amount BIGINT NOT NULL,
  changed_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT webhook_donation_pkey PRIMARY KEY (donation_id),
  CONSTRAINT webhook_donation_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
