-- Whether a part of a word is rare or common decides between two ways that differ by a factor of ten; a hundred samples
-- cannot tell. Takes effect with the next ANALYZE.
ALTER INDEX donation_event_search_idx ALTER COLUMN 2 SET STATISTICS 400;
