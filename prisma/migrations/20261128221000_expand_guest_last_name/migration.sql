-- The last name of a guest whose list has it in a column of its own. The files for other systems need it.
ALTER TABLE guest ADD COLUMN last_name TEXT;
