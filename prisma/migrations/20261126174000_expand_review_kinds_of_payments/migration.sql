ALTER TYPE review_kind ADD VALUE 'payment_held';
ALTER TYPE review_kind ADD VALUE 'debit_failed';
ALTER TYPE review_kind ADD VALUE 'fraud_warning';
ALTER TYPE review_kind ADD VALUE 'missing_right';
