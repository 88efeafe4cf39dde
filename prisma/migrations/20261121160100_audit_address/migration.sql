ALTER TABLE "audit_entry" ADD COLUMN "address" TEXT;
