-- What a treasurer notes with a donation: the number of the cheque or the reference of the bank transfer, and a note.
ALTER TABLE donation ADD COLUMN reference TEXT, ADD COLUMN note TEXT;
