-- What an event may ask beside the four fields, and what a donor added for the provider's fee.
ALTER TABLE donation
  ADD COLUMN donor_address TEXT,
  ADD COLUMN gift_aid BOOLEAN,
  ADD COLUMN covered_fee BIGINT;
