-- migrate: no transaction
-- All receipts of a donation, the replaced ones too: its story, and what an erased donor has on them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS receipt_donation_id_idx ON receipt (donation_id);
