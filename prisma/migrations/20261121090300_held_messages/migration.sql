-- The moderator's list: messages that wait, a handful among all the gifts of an event.
CREATE INDEX donation_held_message_idx ON donation (event_id, id) WHERE message_state = 'held';
