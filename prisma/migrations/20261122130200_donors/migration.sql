-- Who was erased, by the keyed digest that stays: what is told later of a payment made before does not bring them back.
CREATE TABLE erased_donor (
  donor_key BYTEA NOT NULL,
  erased_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT erased_donor_pkey PRIMARY KEY (donor_key)
);

-- All donations of one person.
CREATE INDEX donation_donor_key_id_idx ON donation (donor_key, id) WHERE donor_key IS NOT NULL;
