-- One person at one drawer, from the opening float to the second signature.
CREATE TYPE shift_status AS ENUM ('open', 'counted', 'closed');

CREATE TABLE shift (
  id UUID NOT NULL,
  event_id UUID NOT NULL,
  terminal_id UUID,
  staff_id UUID NOT NULL,
  staff_name TEXT NOT NULL,
  currency TEXT NOT NULL,
  opening_float BIGINT NOT NULL,
  status shift_status NOT NULL DEFAULT 'open',
  opened_at TIMESTAMPTZ(3) NOT NULL,
  counted_at TIMESTAMPTZ(3),
  closed_at TIMESTAMPTZ(3),
  counts JSONB,
  counted_amount BIGINT,
  expected_amount BIGINT,
  counted_sums JSONB,
  counted_ids UUID[] DEFAULT ARRAY[]::UUID[],
  bag_number TEXT,
  note TEXT,
  signed_by_id UUID,
  signed_by_name TEXT,
  CONSTRAINT shift_pkey PRIMARY KEY (id),
  CONSTRAINT shift_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT shift_terminal_id_fkey FOREIGN KEY (terminal_id) REFERENCES terminal (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT shift_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff_member (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT shift_signed_by_id_fkey FOREIGN KEY (signed_by_id) REFERENCES staff_member (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT shift_currency_form CHECK (currency ~ '^[a-z]{3}$'),
  CONSTRAINT shift_float_not_negative CHECK (opening_float >= 0),
  CONSTRAINT shift_counted CHECK ((status = 'open') = (counted_at IS NULL)
    AND (counted_at IS NULL) = (counted_amount IS NULL) AND (counted_at IS NULL) = (expected_amount IS NULL)),
  -- Nobody signs the own count.
  CONSTRAINT shift_signed CHECK ((status = 'closed') = (closed_at IS NOT NULL)
    AND (closed_at IS NULL) = (signed_by_id IS NULL) AND signed_by_id IS DISTINCT FROM staff_id)
);
CREATE INDEX shift_event_id_id_idx ON shift (event_id, id);
CREATE INDEX shift_staff_id_opened_at_idx ON shift (staff_id, opened_at DESC);
-- At most one is open for a person on a terminal, or without one, at an event.
CREATE UNIQUE INDEX shift_open_key ON shift (event_id, staff_id, coalesce(terminal_id, '00000000-0000-0000-0000-000000000000'))
  WHERE status = 'open';
