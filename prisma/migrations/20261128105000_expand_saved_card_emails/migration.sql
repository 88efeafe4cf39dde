-- The notice a day before a saved card is charged, and the e-mail after a charge that the bank declined.
ALTER TYPE email_kind ADD VALUE 'charge_notice';
ALTER TYPE email_kind ADD VALUE 'charge_failed';
