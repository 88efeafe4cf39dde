-- Statuses that nobody has a word for, and webhook events that do not arrive.
ALTER TYPE review_kind ADD VALUE 'unknown_status';
ALTER TYPE review_kind ADD VALUE 'webhooks_missing';
ALTER TYPE review_kind ADD VALUE 'webhooks_incomplete';
ALTER TYPE review_kind ADD VALUE 'events_expired';
