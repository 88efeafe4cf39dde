-- The link to the donor's own page.
ALTER TYPE email_kind ADD VALUE 'own_page_link';
