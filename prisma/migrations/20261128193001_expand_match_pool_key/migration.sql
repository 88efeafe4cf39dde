-- Reads all donations, but no reader and no writer waits.
ALTER TABLE donation VALIDATE CONSTRAINT donation_match_pool_id_fkey;
