-- The cause of a step with its amounts in a form for programs. The text in `reason` stays, and is what a person typed if there is one.
ALTER TABLE donation_history ADD COLUMN cause JSONB;
