-- Why webhook events of a provider were refused last: its secret is not the configured one, or a clock is wrong.
ALTER TABLE provider_health
  ADD COLUMN last_refused_at TIMESTAMPTZ(3),
  ADD COLUMN refused_for TEXT;
