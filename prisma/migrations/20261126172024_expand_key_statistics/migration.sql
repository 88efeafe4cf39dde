-- With its collation a column lost what the planner knew of it. An empty table is left unread: plans made for it would read
-- the whole of it later.
DO $$
DECLARE changed TEXT;
BEGIN
  FOREACH changed IN ARRAY ARRAY['donation', 'idempotency_key', 'webhook_event', 'provider_request', 'email', 'checkout',
    'payout', 'payout_item', 'refund', 'dispute', 'review_item', 'event'] LOOP
    IF (SELECT reltuples > 0 FROM pg_class WHERE oid = changed::regclass) THEN
      EXECUTE format('ANALYZE %I', changed);
    END IF;
  END LOOP;
END
$$;
