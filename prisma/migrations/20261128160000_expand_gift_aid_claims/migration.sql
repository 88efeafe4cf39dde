-- Claims of Gift Aid. A claim never changes: its schedule has the same bytes at each download.
CREATE TABLE gift_aid_claim (
  id UUID NOT NULL,
  number INTEGER NOT NULL,
  first_day DATE NOT NULL,
  last_day DATE NOT NULL,
  row_count INTEGER NOT NULL,
  amount BIGINT NOT NULL,
  adjusted_amount BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  actor_kind actor_kind NOT NULL,
  actor_id TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT gift_aid_claim_pkey PRIMARY KEY (id),
  CONSTRAINT gift_aid_claim_days CHECK (first_day <= last_day),
  -- The schedule of HM Revenue and Customs has no more rows.
  CONSTRAINT gift_aid_claim_rows CHECK (row_count BETWEEN 1 AND 1000)
);
CREATE UNIQUE INDEX gift_aid_claim_number_key ON gift_aid_claim (number);

-- The donations of the claims. A donation is in at most one claim.
CREATE TABLE gift_aid_claim_donation (
  donation_id UUID NOT NULL,
  claim_id UUID NOT NULL,
  place INTEGER NOT NULL,
  -- Null after the declaration was deleted at the end of its legal period.
  declaration_id UUID,
  given_on DATE NOT NULL,
  amount BIGINT NOT NULL,
  CONSTRAINT gift_aid_claim_donation_pkey PRIMARY KEY (donation_id),
  CONSTRAINT gift_aid_claim_donation_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT gift_aid_claim_donation_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES gift_aid_claim (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT gift_aid_claim_donation_declaration_id_fkey FOREIGN KEY (declaration_id) REFERENCES gift_aid_declaration (id)
    ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT gift_aid_claim_donation_amount CHECK (amount > 0)
);
CREATE UNIQUE INDEX gift_aid_claim_donation_claim_id_place_key ON gift_aid_claim_donation (claim_id, place);
CREATE INDEX gift_aid_claim_donation_declaration_id_idx ON gift_aid_claim_donation (declaration_id);

-- Money of earlier claims that was returned to the donors, with the claim that repays its tax.
CREATE TABLE gift_aid_adjustment (
  claim_id UUID NOT NULL,
  donation_id UUID NOT NULL,
  amount BIGINT NOT NULL,
  CONSTRAINT gift_aid_adjustment_pkey PRIMARY KEY (claim_id, donation_id),
  CONSTRAINT gift_aid_adjustment_claim_id_fkey FOREIGN KEY (claim_id) REFERENCES gift_aid_claim (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT gift_aid_adjustment_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES gift_aid_claim_donation (donation_id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT gift_aid_adjustment_amount CHECK (amount > 0)
);
CREATE INDEX gift_aid_adjustment_donation_id_idx ON gift_aid_adjustment (donation_id);
