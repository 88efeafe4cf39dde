-- Messages of the dashboard to the tills (`message`), and requests of the tills (`change`, `help`, `record`, `card_reader`).
-- Deleted after 48 hours.
CREATE TABLE floor_message (
  id UUID PRIMARY KEY,
  event_id UUID NOT NULL REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  kind TEXT COLLATE "C" NOT NULL,
  text TEXT,
  place TEXT,
  staff_id UUID REFERENCES staff_member (id) ON DELETE CASCADE ON UPDATE CASCADE,
  terminal_id UUID REFERENCES terminal (id) ON DELETE CASCADE ON UPDATE CASCADE,
  sent_by_id TEXT,
  seen_at TIMESTAMPTZ(3),
  seen_by_id TEXT,
  closed_at TIMESTAMPTZ(3),
  closed_by_id TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX floor_message_event_id_idx ON floor_message (event_id);
CREATE INDEX floor_message_created_at_idx ON floor_message (created_at);
-- A member has at most one open request of a kind, also after a repeated click.
CREATE UNIQUE INDEX floor_message_open_request_key ON floor_message (event_id, staff_id, kind)
  WHERE kind <> 'message' AND closed_at IS NULL;

-- The members who have read a message, with their terminals.
CREATE TABLE floor_reading (
  message_id UUID NOT NULL REFERENCES floor_message (id) ON DELETE CASCADE ON UPDATE CASCADE,
  staff_id UUID NOT NULL REFERENCES staff_member (id) ON DELETE CASCADE ON UPDATE CASCADE,
  terminal_id UUID REFERENCES terminal (id) ON DELETE CASCADE ON UPDATE CASCADE,
  read_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT floor_reading_pkey PRIMARY KEY (message_id, staff_id)
);
