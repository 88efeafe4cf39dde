-- migrate: no transaction
-- What sums of donations are added from, without reading the donations, and what the lines of an explained total list.
CREATE INDEX CONCURRENTLY IF NOT EXISTS donation_sums_idx
  ON donation (event_id, currency, status, type, id, amount, refunded_amount);
