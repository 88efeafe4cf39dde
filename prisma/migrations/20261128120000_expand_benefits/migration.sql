-- The benefit that the donor received for the donation, such as a dinner: value in minor units, and description.
ALTER TABLE donation ADD COLUMN benefit_value BIGINT;
ALTER TABLE donation ADD COLUMN benefit_text TEXT;
