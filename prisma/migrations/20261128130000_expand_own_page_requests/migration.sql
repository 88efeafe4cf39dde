-- Requests of donors on their own page, and the e-mail that asks for a missing postal address.
ALTER TYPE review_kind ADD VALUE 'erasure_requested';
ALTER TYPE email_kind ADD VALUE 'erasure_requested';
ALTER TYPE email_kind ADD VALUE 'missing_address';
