-- The e-mail to administrators about a disabled webhook endpoint.
ALTER TYPE email_kind ADD VALUE 'webhook_disabled';
