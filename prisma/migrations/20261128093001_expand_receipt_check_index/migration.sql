-- migrate: no transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS receipt_check_code_key ON receipt (check_code);
