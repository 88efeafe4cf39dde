-- Which fields about the donor a history row corrected.
ALTER TABLE donation_history ADD COLUMN fields TEXT[] NOT NULL DEFAULT '{}';

-- A donation can have several receipts: a corrected one replaces the one before, under a number of its own.
ALTER TABLE receipt
  DROP CONSTRAINT receipt_pkey,
  ADD COLUMN printed JSONB,
  ADD COLUMN replaces TEXT,
  ADD COLUMN replaced_at TIMESTAMPTZ(3);
DROP INDEX receipt_year_number_key;
ALTER TABLE receipt ADD CONSTRAINT receipt_pkey PRIMARY KEY (year, number);

-- What receipts say so far is what their donations say.
UPDATE receipt SET printed = jsonb_build_object('donorName', d.donor_name, 'message', d.message)
  FROM donation d WHERE d.id = receipt.donation_id;

-- At most one of them is in force.
CREATE UNIQUE INDEX receipt_in_force_key ON receipt (donation_id) WHERE replaced_at IS NULL;
