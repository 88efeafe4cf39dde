-- How far each event's feed was broadcast stands in one place, instead of on each of its rows: marking a row was a new version
-- of it in three indexes.
ALTER TABLE event_feed ADD COLUMN published_sequence BIGINT NOT NULL DEFAULT 0;
UPDATE event_feed AS f SET published_sequence = coalesce(
  (SELECT min(o.sequence) - 1 FROM outbox o
    WHERE o.event_id = f.event_id AND o.sequence IS NOT NULL AND o.published_at IS NULL),
  f.last_sequence);
ALTER TABLE event_feed ADD CONSTRAINT event_feed_published_was_numbered CHECK (published_sequence <= last_sequence);

-- Only rows that wait for their number: usually none, so looking at it costs a page.
CREATE INDEX outbox_waiting_idx ON outbox (id) WHERE sequence IS NULL;
CREATE UNIQUE INDEX outbox_numbered_idx ON outbox (event_id, sequence) WHERE sequence IS NOT NULL;
DROP INDEX outbox_event_id_sequence_key;
-- With it go its check and both indexes of what is published and what is not.
ALTER TABLE outbox DROP COLUMN published_at;
