-- Names can wait for approval as messages can.
ALTER TABLE donation ADD COLUMN name_state message_state NOT NULL DEFAULT 'visible';

-- The moderator's list, as it is for messages.
CREATE INDEX donation_held_name_idx ON donation (event_id, id) WHERE name_state = 'held';
