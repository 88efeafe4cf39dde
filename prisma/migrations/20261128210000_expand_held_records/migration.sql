-- A large record counts at once, but its card waits until a second person shows it. Null: the card never waited.
ALTER TABLE donation ADD COLUMN wall_state message_state;
