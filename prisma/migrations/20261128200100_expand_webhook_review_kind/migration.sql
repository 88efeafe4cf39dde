-- A webhook endpoint was disabled because it did not accept messages.
ALTER TYPE review_kind ADD VALUE 'webhook_disabled';
