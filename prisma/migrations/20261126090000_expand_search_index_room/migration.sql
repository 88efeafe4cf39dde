-- The list is sorted in before it is full, by nobody who waits (src/donations/search-index.ts). Twice the room is for what comes
-- meanwhile; who fills it all the same sorts it himself.
ALTER INDEX donation_event_search_idx SET (gin_pending_list_limit = 2048);
