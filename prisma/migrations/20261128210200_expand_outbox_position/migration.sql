-- Position of a numbered message among the messages of all events, for programs that read the changes in order.
ALTER TABLE outbox ADD COLUMN position bigint;

-- The position of the last numbered message: one row.
CREATE TABLE outbox_head (
  id smallint PRIMARY KEY DEFAULT 1,
  position bigint NOT NULL,
  CONSTRAINT outbox_head_one_row CHECK (id = 1)
);
