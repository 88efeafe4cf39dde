-- When the identity provider asked for the password, or for whatever it signs people in by; null: it did not say.
ALTER TABLE sign_in_code ADD COLUMN idp_confirmed_at TIMESTAMPTZ(3);
ALTER TABLE refresh_token ADD COLUMN idp_confirmed_at TIMESTAMPTZ(3);

-- Sent to the owner of an account when the way it is entered changes.
ALTER TYPE email_kind ADD VALUE 'account_change';
