-- How an online donor paid, in the provider's own word, such as `ideal`, and the wallet with the card. Null: not known, or offline.
ALTER TABLE donation ADD COLUMN method TEXT, ADD COLUMN wallet TEXT;
