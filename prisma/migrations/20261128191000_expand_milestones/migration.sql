-- Sums of an event at which the walls celebrate, such as "50,000: the band plays".
CREATE TABLE milestone (
  id UUID PRIMARY KEY,
  event_id UUID NOT NULL REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  amount BIGINT NOT NULL CONSTRAINT milestone_amount_positive CHECK (amount > 0),
  basis TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  short TEXT,
  text TEXT,
  image TEXT COLLATE "C" REFERENCES image (digest) ON DELETE SET NULL ON UPDATE CASCADE,
  is_visible BOOLEAN NOT NULL,
  announce TEXT NOT NULL,
  reached_at TIMESTAMPTZ(3),
  reached_total BIGINT,
  announced_at TIMESTAMPTZ(3),
  done_at TIMESTAMPTZ(3),
  done_by_kind "actor_kind",
  done_by_id TEXT,
  withdrawn_at TIMESTAMPTZ(3),
  withdrawal_reason TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX milestone_event_id_basis_amount_key ON milestone (event_id, basis, amount);
-- Read for every batch of changes of an event.
CREATE INDEX milestone_waiting_idx ON milestone (event_id, amount) WHERE reached_at IS NULL;
-- Read every two seconds, because a pledge outside a round has no message in the feed.
CREATE INDEX milestone_promises_idx ON milestone (event_id) WHERE reached_at IS NULL AND basis = 'with_promises';

-- Moments that the team calls by hand. Deleted after 48 hours.
CREATE TABLE wall_moment (
  id UUID PRIMARY KEY,
  event_id UUID NOT NULL REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  title TEXT NOT NULL,
  text TEXT,
  seconds INTEGER NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX wall_moment_event_id_idx ON wall_moment (event_id);
CREATE INDEX wall_moment_created_at_idx ON wall_moment (created_at);
