-- Reminders of unpaid pledges.
ALTER TYPE email_kind ADD VALUE 'pledge_reminder';
