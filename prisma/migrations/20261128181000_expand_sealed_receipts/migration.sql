-- The printed content of receipts for the tax office whose donor was erased, encrypted, until its last day.
CREATE TABLE sealed_receipt (
  id UUID PRIMARY KEY,
  year INTEGER NOT NULL,
  number INTEGER NOT NULL,
  is_collective BOOLEAN NOT NULL,
  pack TEXT NOT NULL,
  pack_version TEXT NOT NULL,
  law TEXT NOT NULL,
  sealed BYTEA NOT NULL,
  sealed_at TIMESTAMPTZ(3) NOT NULL,
  keep_until DATE NOT NULL
);
CREATE UNIQUE INDEX sealed_receipt_year_number_key ON sealed_receipt (year, number);
CREATE INDEX sealed_receipt_keep_until_idx ON sealed_receipt (keep_until);
