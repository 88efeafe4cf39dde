-- The amount that the donor pledged, if another amount was paid.
ALTER TABLE donation ADD COLUMN pledged_amount BIGINT;
