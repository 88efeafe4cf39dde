-- Last digits of the reference numbers. The first digits are the minute of the creation.
CREATE SEQUENCE transfer_number MAXVALUE 999999999 CYCLE;

-- The reference of a donation by bank transfer, or of a pledge that a donor may pay by transfer.
CREATE TABLE transfer (
  donation_id UUID NOT NULL,
  number BIGINT NOT NULL,
  expires_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT transfer_pkey PRIMARY KEY (donation_id),
  CONSTRAINT transfer_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT transfer_number_digits CHECK (number BETWEEN 1 AND 99999999999999999)
);
CREATE UNIQUE INDEX transfer_number_key ON transfer (number);
CREATE INDEX transfer_expires_at_idx ON transfer (expires_at);
