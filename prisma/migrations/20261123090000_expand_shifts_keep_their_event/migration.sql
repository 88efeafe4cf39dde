-- What was counted and signed is kept: an event with shifts is archived, not deleted.
ALTER TABLE shift
  DROP CONSTRAINT shift_event_id_fkey,
  ADD CONSTRAINT shift_event_id_fkey FOREIGN KEY (event_id) REFERENCES event (id) ON DELETE RESTRICT ON UPDATE CASCADE;
