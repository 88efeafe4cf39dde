-- How the speaker says the donor's name.
ALTER TABLE donation ADD COLUMN donor_pronunciation text;
