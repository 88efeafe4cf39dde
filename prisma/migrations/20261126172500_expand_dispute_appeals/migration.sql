-- A dispute that was decided may be reopened or appealed, and its status may be one that this service does not know.
ALTER TABLE dispute
  ADD COLUMN status_as_of TIMESTAMPTZ(3),
  ADD COLUMN is_appeal BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN is_unknown BOOLEAN NOT NULL DEFAULT false;
