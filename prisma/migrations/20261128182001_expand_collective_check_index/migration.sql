-- migrate: no transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS collective_receipt_check_code_key ON collective_receipt (check_code);
