-- Later counts of a drawer, made after the first one and before the second signature. The first count stays unchanged.
CREATE TABLE shift_recount (
  id UUID NOT NULL,
  shift_id UUID NOT NULL,
  counted_at TIMESTAMPTZ(3) NOT NULL,
  counts JSONB NOT NULL,
  counted_amount BIGINT NOT NULL,
  bag_number TEXT,
  note TEXT,
  CONSTRAINT shift_recount_pkey PRIMARY KEY (id),
  CONSTRAINT shift_recount_shift_id_fkey FOREIGN KEY (shift_id) REFERENCES shift (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX shift_recount_shift_id_counted_at_idx ON shift_recount (shift_id, counted_at);
