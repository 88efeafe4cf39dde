-- As the keys of donations. Payouts are few; of their lines the largest index was made before.
ALTER TABLE payout_item DROP CONSTRAINT payout_item_payout_fkey, DROP CONSTRAINT payout_item_pkey;
ALTER TABLE payout ALTER COLUMN provider_payout_id TYPE TEXT COLLATE "C";
ALTER TABLE payout_item
  ALTER COLUMN provider_item_id TYPE TEXT COLLATE "C",
  ALTER COLUMN provider_payout_id TYPE TEXT COLLATE "C",
  ALTER COLUMN payment_id TYPE TEXT COLLATE "C";
ALTER TABLE payout_item
  ADD CONSTRAINT payout_item_pkey PRIMARY KEY USING INDEX payout_item_bytes,
  ADD CONSTRAINT payout_item_payout_fkey FOREIGN KEY (provider, provider_payout_id)
    REFERENCES payout (provider, provider_payout_id) ON DELETE CASCADE ON UPDATE CASCADE;
