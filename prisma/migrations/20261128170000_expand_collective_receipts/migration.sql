-- Collective receipts: one receipt about all gifts of a donor in a year, with a number of the receipts.
CREATE TABLE collective_receipt (
  year INTEGER NOT NULL,
  number INTEGER NOT NULL,
  from_day DATE NOT NULL,
  to_day DATE NOT NULL,
  issued_at TIMESTAMPTZ(3) NOT NULL,
  pack TEXT NOT NULL,
  pack_version TEXT NOT NULL,
  facts JSONB,
  replaces TEXT,
  replaced_at TIMESTAMPTZ(3),
  PRIMARY KEY (year, number)
);

CREATE TABLE collective_gift (
  year INTEGER NOT NULL,
  number INTEGER NOT NULL,
  donation_id UUID NOT NULL REFERENCES donation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  printed JSONB,
  PRIMARY KEY (year, number, donation_id),
  FOREIGN KEY (year, number) REFERENCES collective_receipt (year, number) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX collective_gift_donation_id_idx ON collective_gift (donation_id);

-- The valid receipt for the tax office of each gift. The key keeps a gift out of a second one.
CREATE TABLE confirmed_gift (
  donation_id UUID PRIMARY KEY REFERENCES donation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  year INTEGER NOT NULL,
  number INTEGER NOT NULL,
  is_collective BOOLEAN NOT NULL
);
CREATE INDEX confirmed_gift_year_number_idx ON confirmed_gift (year, number);

INSERT INTO confirmed_gift (donation_id, year, number, is_collective)
  SELECT donation_id, year, number, false FROM receipt WHERE pack IS NOT NULL AND replaced_at IS NULL;
