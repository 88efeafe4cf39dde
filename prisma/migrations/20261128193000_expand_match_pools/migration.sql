-- Promises to add to donations until a sum is used up. `drawn` and `kept` are the sums of the draws; the transaction of the draws
-- writes them. The pool has no donors: only its matcher has a name and an address.
CREATE TABLE match_pool (
  id UUID NOT NULL,
  event_id UUID NOT NULL,
  name TEXT NOT NULL,
  matcher_name TEXT,
  is_matcher_anonymous BOOLEAN NOT NULL,
  matcher_email TEXT,
  matcher_key BYTEA,
  logo TEXT,
  url TEXT,
  cap BIGINT NOT NULL,
  currency TEXT NOT NULL,
  ratio INTEGER NOT NULL,
  per_gift_cap BIGINT,
  min_gift BIGINT,
  per_donor_cap BIGINT,
  kinds donation_type[],
  opens_at TIMESTAMPTZ(3),
  closes_at TIMESTAMPTZ(3),
  grace_minutes INTEGER NOT NULL,
  keeps_pledges BOOLEAN NOT NULL,
  keep_days INTEGER NOT NULL,
  remainder TEXT NOT NULL,
  priority INTEGER NOT NULL,
  due_on DATE,
  status TEXT NOT NULL,
  drawn BIGINT NOT NULL DEFAULT 0,
  kept BIGINT NOT NULL DEFAULT 0,
  used_up_at TIMESTAMPTZ(3),
  ended_at TIMESTAMPTZ(3),
  settled_at TIMESTAMPTZ(3),
  settled_note TEXT,
  version INTEGER NOT NULL,
  actor_kind actor_kind NOT NULL,
  actor_id TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT match_pool_pkey PRIMARY KEY (id),
  CONSTRAINT match_pool_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT match_pool_status CHECK (status IN ('draft', 'scheduled', 'open', 'paused', 'ended', 'settled', 'cancelled')),
  CONSTRAINT match_pool_remainder CHECK (remainder IN ('not_given', 'given_anyway')),
  CONSTRAINT match_pool_ratio CHECK (ratio BETWEEN 1 AND 100000),
  CONSTRAINT match_pool_currency_form CHECK (currency ~ '^[a-z]{3}$'),
  CONSTRAINT match_pool_times CHECK (closes_at > opens_at),
  CONSTRAINT match_pool_sums CHECK (cap > 0 AND drawn >= 0 AND kept >= 0 AND drawn + kept <= cap)
);
CREATE INDEX match_pool_event_id_id_idx ON match_pool (event_id, id);
CREATE INDEX match_pool_matcher_key_idx ON match_pool (matcher_key);
-- Few pools are waiting for a time.
CREATE INDEX match_pool_running_idx ON match_pool (id) WHERE status IN ('scheduled', 'open', 'paused');

-- The times in which a pool really was open.
CREATE TABLE match_pool_interval (
  pool_id UUID NOT NULL,
  opened_at TIMESTAMPTZ(3) NOT NULL,
  closed_at TIMESTAMPTZ(3),
  CONSTRAINT match_pool_interval_pkey PRIMARY KEY (pool_id, opened_at),
  CONSTRAINT match_pool_interval_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES match_pool (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT match_pool_interval_times CHECK (closed_at >= opened_at)
);

-- What each donation has drawn. `base` is the part of the donation that the pool was asked to match, `given_at` the time of the
-- donation or pledge, and `outbox_id` the message that caused the last change (null: a pledge that was released later).
CREATE TABLE match_draw (
  pool_id UUID NOT NULL,
  donation_id UUID NOT NULL,
  amount BIGINT NOT NULL,
  kept BIGINT NOT NULL,
  base BIGINT NOT NULL,
  state TEXT NOT NULL,
  given_at TIMESTAMPTZ(3) NOT NULL,
  outbox_id BIGINT,
  changed_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT match_draw_pkey PRIMARY KEY (pool_id, donation_id),
  CONSTRAINT match_draw_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES match_pool (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT match_draw_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT match_draw_state CHECK (state IN ('drawn', 'kept', 'released')),
  CONSTRAINT match_draw_sums CHECK (amount >= 0 AND kept >= 0 AND base >= 0)
);
CREATE INDEX match_draw_donation_id_idx ON match_draw (donation_id);
-- Few pledges are waiting for their payment.
CREATE INDEX match_draw_kept_idx ON match_draw (pool_id, donation_id) WHERE state = 'kept';

-- The pool that a donation pays: the payment of a matcher. The existing rows have none; the next migration checks them while the
-- service runs.
ALTER TABLE donation ADD COLUMN match_pool_id UUID;
ALTER TABLE donation ADD CONSTRAINT donation_match_pool_id_fkey FOREIGN KEY (match_pool_id) REFERENCES match_pool (id)
  ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
