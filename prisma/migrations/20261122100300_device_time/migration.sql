-- When and where an offline donation was taken. New columns without a default: nothing is rewritten or checked.
ALTER TABLE donation
  ADD COLUMN recorded_at TIMESTAMPTZ(3),
  ADD COLUMN terminal_id UUID CONSTRAINT donation_terminal_id_fkey REFERENCES terminal (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD COLUMN shift_id UUID CONSTRAINT donation_shift_id_fkey REFERENCES shift (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD COLUMN paddle TEXT,
  ADD COLUMN round_id UUID CONSTRAINT donation_round_id_fkey REFERENCES pledge_round (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD COLUMN paid_by UUID CONSTRAINT donation_paid_by_fkey REFERENCES donation (id) ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE INDEX donation_shift_idx ON donation (shift_id) WHERE shift_id IS NOT NULL;
CREATE INDEX donation_round_idx ON donation (round_id) WHERE round_id IS NOT NULL;

ALTER TYPE review_kind ADD VALUE 'recorded_at_rejected';
