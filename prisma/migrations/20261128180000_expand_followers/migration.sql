-- Followers: parts of the service that handle each committed message of an event's feed exactly once, in order.
CREATE TABLE follower (
  name text COLLATE "C" PRIMARY KEY,
  joined_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Missing for an event without handled messages. `held_since` and `problem` are set while the follower cannot go on.
CREATE TABLE follower_position (
  follower text COLLATE "C" NOT NULL REFERENCES follower (name) ON DELETE CASCADE ON UPDATE CASCADE,
  event_id uuid NOT NULL,
  sequence bigint NOT NULL,
  held_since timestamptz(3),
  problem text,
  PRIMARY KEY (event_id, follower)
);
CREATE INDEX follower_position_held_idx ON follower_position (held_since) WHERE held_since IS NOT NULL;

-- What a message is about if it is neither a donation nor a round, such as a match pool.
ALTER TABLE outbox ADD COLUMN subject_id uuid;

ALTER TYPE review_kind ADD VALUE 'follower_stalled';
