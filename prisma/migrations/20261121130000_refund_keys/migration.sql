-- A refund remembers the request it was asked for by: the same Idempotency-Key is the same refund, for ever. What was
-- given back by hand is a refund too, without a provider. And a refund can name the capture that it takes from.
ALTER TABLE "refund"
  ALTER COLUMN "provider" DROP NOT NULL,
  ALTER COLUMN "payment_id" DROP NOT NULL,
  ADD COLUMN "capture_id" TEXT,
  ADD COLUMN "idempotency_key" TEXT,
  ADD COLUMN "request_digest" BYTEA;

UPDATE "refund" SET "capture_id" = d."capture_id" FROM "donation" d WHERE d."id" = "refund"."donation_id";

CREATE UNIQUE INDEX "refund_idempotency_key_key" ON "refund"("idempotency_key");

ALTER TABLE "refund"
  ADD CONSTRAINT "refund_key_has_digest" CHECK (("idempotency_key" IS NULL) = ("request_digest" IS NULL)),
  -- By a provider, of one of its payments; or by hand, and then it is done and belongs to a donation.
  ADD CONSTRAINT "refund_by_provider_or_hand" CHECK (
    CASE WHEN "provider" IS NULL
      THEN "payment_id" IS NULL AND "capture_id" IS NULL AND "provider_refund_id" IS NULL
        AND "status" = 'succeeded' AND "donation_id" IS NOT NULL
      ELSE "payment_id" IS NOT NULL END
  );
