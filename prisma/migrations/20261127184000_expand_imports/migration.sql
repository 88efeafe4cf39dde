-- Uploaded lists. The file is deleted as soon as its rows are imported.
CREATE TABLE table_import (
  id UUID NOT NULL,
  event_id UUID NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  file_name TEXT NOT NULL,
  file BYTEA,
  form JSONB,
  headings JSONB NOT NULL,
  headings_digest BYTEA NOT NULL,
  columns JSONB NOT NULL,
  row_count INTEGER NOT NULL,
  rows_done INTEGER NOT NULL DEFAULT 0,
  created_count INTEGER NOT NULL DEFAULT 0,
  changed_count INTEGER NOT NULL DEFAULT 0,
  same_count INTEGER NOT NULL DEFAULT 0,
  wrong_count INTEGER NOT NULL DEFAULT 0,
  wrong_rows BYTEA,
  actor_kind actor_kind NOT NULL,
  actor_id TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  finished_at TIMESTAMPTZ(3),
  undone_at TIMESTAMPTZ(3),
  CONSTRAINT table_import_pkey PRIMARY KEY (id),
  CONSTRAINT table_import_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT table_import_status CHECK (status IN ('uploaded', 'running', 'done', 'undone'))
);
CREATE INDEX table_import_event_id_id_idx ON table_import (event_id, id);
CREATE INDEX table_import_status_idx ON table_import (status);
CREATE INDEX table_import_created_at_idx ON table_import (created_at);

-- The rows that an import created or changed, to undo it.
CREATE TABLE table_import_row (
  import_id UUID NOT NULL,
  number INTEGER NOT NULL,
  guest_id UUID NOT NULL,
  before JSONB,
  applied_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT table_import_row_pkey PRIMARY KEY (import_id, number),
  CONSTRAINT table_import_row_import_id_fkey FOREIGN KEY (import_id) REFERENCES table_import (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX table_import_row_guest_id_idx ON table_import_row (guest_id);

-- Digest of the row that the guest came from: the same row of the same list is the same guest.
ALTER TABLE guest ADD COLUMN import_key BYTEA;
CREATE UNIQUE INDEX guest_event_id_import_key_key ON guest (event_id, import_key);
