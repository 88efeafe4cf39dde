-- The address on the report's code was opened.
ALTER TABLE rehearsal ADD COLUMN visited_at TIMESTAMPTZ(3);

-- The played evening of a rehearsal. `mark` is in the reference or the source of each played donation. `done` guests have been
-- played; `reason` says why the evening ended.
CREATE TABLE rehearsal_play (
  event_id UUID PRIMARY KEY REFERENCES rehearsal (event_id) ON DELETE CASCADE ON UPDATE CASCADE,
  mark TEXT COLLATE "C" NOT NULL,
  profile JSONB NOT NULL,
  started_by UUID NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  done INTEGER NOT NULL DEFAULT 0,
  round_id UUID,
  figures JSONB NOT NULL DEFAULT '{}',
  intent_ms INTEGER[] NOT NULL DEFAULT '{}',
  record_ms INTEGER[] NOT NULL DEFAULT '{}',
  wall_ms INTEGER[] NOT NULL DEFAULT '{}',
  ended_at TIMESTAMPTZ(3),
  reason TEXT COLLATE "C"
);
