-- Tables, teams and persons for whom donations are given, and their board.
CREATE TYPE team_kind AS ENUM ('table', 'team', 'person');
CREATE TABLE team (
  id uuid PRIMARY KEY,
  event_id uuid NOT NULL REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  kind team_kind NOT NULL,
  number int,
  seats int,
  goal_amount bigint,
  is_listed boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT team_number_range CHECK (number BETWEEN 1 AND 9999),
  CONSTRAINT team_seats_range CHECK (seats BETWEEN 1 AND 1000),
  CONSTRAINT team_goal_range CHECK (goal_amount BETWEEN 1 AND 1000000000000)
);
CREATE UNIQUE INDEX team_event_id_slug_key ON team (event_id, slug);
CREATE UNIQUE INDEX team_event_id_number_key ON team (event_id, number);

-- Addresses of teams that were renamed. Printed codes still have them.
CREATE TABLE team_old_slug (
  event_id uuid NOT NULL REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  slug text COLLATE "C" NOT NULL,
  team_id uuid NOT NULL REFERENCES team (id) ON DELETE CASCADE ON UPDATE CASCADE,
  kept_until timestamptz(3) NOT NULL,
  PRIMARY KEY (event_id, slug)
);
CREATE INDEX team_old_slug_team_id_idx ON team_old_slug (team_id);

-- The team of a donation. A record of a till can arrive after its team was deleted, so the column has no foreign key.
ALTER TABLE donation ADD COLUMN team_id uuid;

-- What a donation adds to its team, and what the public board shows of it. Both values are the same from `shown_from` on; until
-- then the board shows the old ones. Without `shown_from`, it is not decided when the board shows the new values.
CREATE TABLE team_gift (
  team_id uuid NOT NULL REFERENCES team (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  donation_id uuid NOT NULL,
  event_id uuid NOT NULL,
  amount bigint NOT NULL,
  counts boolean NOT NULL,
  is_secret boolean NOT NULL,
  old_amount bigint NOT NULL DEFAULT 0,
  old_counts boolean NOT NULL DEFAULT false,
  shown_from timestamptz(3),
  PRIMARY KEY (donation_id, team_id)
);
CREATE INDEX team_gift_team_id_idx ON team_gift (team_id);
