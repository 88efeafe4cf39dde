-- A rehearsal is an event of its own, the twin of the real event. Its id ends with fixed digits, so that a statement or a till
-- recognizes the twin without a look-up, also after the twin was deleted.
ALTER TABLE event ADD COLUMN rehearsal_of UUID
  CONSTRAINT event_rehearsal_of_fkey REFERENCES event (id) ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE event ADD CONSTRAINT event_rehearsal_id
  CHECK ((rehearsal_of IS NOT NULL) = (right(id::text, 12) = '726568656172'));

-- `series`: the receipts of the twin have the year -series, so that every twin has its own counter.
CREATE TABLE rehearsal (
  event_id UUID PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  series SERIAL NOT NULL,
  with_names BOOLEAN NOT NULL,
  mail_to TEXT[] NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  noticed_at TIMESTAMPTZ(3),
  ended_at TIMESTAMPTZ(3),
  deleted JSONB NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX rehearsal_series_key ON rehearsal (series);
