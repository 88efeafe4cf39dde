-- A matcher has paid more than was drawn.
ALTER TYPE review_kind ADD VALUE 'match_overpaid';
