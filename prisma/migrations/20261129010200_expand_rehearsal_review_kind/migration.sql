-- A rehearsal without use ends by itself on the next day.
ALTER TYPE review_kind ADD VALUE 'rehearsal_ending';
