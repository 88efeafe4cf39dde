-- A donation of an earlier year, imported from a list. It gets no receipt.
ALTER TABLE donation ADD COLUMN is_past_donation BOOLEAN NOT NULL DEFAULT false;

-- The chosen or found forms of the amounts and days of a file.
ALTER TABLE table_import ADD COLUMN formats JSONB;

-- The donations of imported lists. A list that is imported again finds its rows by their keys. The import may be deleted earlier.
CREATE TABLE imported_donation (
  donation_id UUID NOT NULL,
  event_id UUID NOT NULL,
  import_id UUID NOT NULL,
  row_number INTEGER NOT NULL,
  import_key BYTEA NOT NULL,
  CONSTRAINT imported_donation_pkey PRIMARY KEY (donation_id),
  CONSTRAINT imported_donation_donation_id_fkey FOREIGN KEY (donation_id) REFERENCES donation (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX imported_donation_event_id_import_key_key ON imported_donation (event_id, import_key);
CREATE INDEX imported_donation_import_id_idx ON imported_donation (import_id);
