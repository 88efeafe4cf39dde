-- The first and the last e-mail about a pledge.
ALTER TYPE email_kind ADD VALUE 'pledge_thanks';
ALTER TYPE email_kind ADD VALUE 'pledge_last';
