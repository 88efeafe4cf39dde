-- The bank details for a donor who chose to pay by bank transfer.
ALTER TYPE email_kind ADD VALUE 'transfer_details';
