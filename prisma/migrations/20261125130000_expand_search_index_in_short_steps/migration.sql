-- New rows wait in a list before they are sorted into the index, and whoever fills the list sorts all of it: with 4 MB, as the
-- server has it, one record in some thousands waited 20 to 40 ms, and every search read up to 4 MB of unsorted names.
ALTER INDEX donation_event_search_idx SET (gin_pending_list_limit = 1024);
