-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "event_status" AS ENUM ('draft', 'active', 'paused', 'closed', 'archived');

-- CreateEnum
CREATE TYPE "donation_type" AS ENUM ('card', 'wallet', 'cash', 'check', 'card_terminal', 'bank_transfer', 'pledge', 'other');

-- CreateEnum
CREATE TYPE "donation_status" AS ENUM ('PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED');

-- CreateEnum
CREATE TYPE "message_state" AS ENUM ('visible', 'held', 'hidden');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('admin', 'staff', 'donor', 'provider', 'system');

-- CreateEnum
CREATE TYPE "refund_status" AS ENUM ('requested', 'pending', 'succeeded', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "dispute_status" AS ENUM ('open', 'won', 'lost');

-- CreateEnum
CREATE TYPE "attention_kind" AS ENUM ('amount_mismatch', 'late_success', 'refund_failed', 'dispute', 'unmatched_payment', 'reconciliation');

-- CreateTable
CREATE TABLE "admin" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "session_version" INTEGER NOT NULL DEFAULT 1,
    "idp_issuer" TEXT,
    "idp_subject" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "admin_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refresh_token" (
    "id" UUID NOT NULL,
    "admin_id" UUID NOT NULL,
    "family_id" UUID NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "refresh_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_code" (
    "code_digest" BYTEA NOT NULL,
    "admin_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_code_pkey" PRIMARY KEY ("code_digest")
);

-- CreateTable
CREATE TABLE "staff_member" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "pin_digest" BYTEA,
    "pin_sealed" BYTEA,
    "session_version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_member_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "goal_amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" "event_status" NOT NULL DEFAULT 'active',
    "overrides" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_staff" (
    "event_id" UUID NOT NULL,
    "staff_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_staff_pkey" PRIMARY KEY ("event_id","staff_id")
);

-- CreateTable
CREATE TABLE "event_total" (
    "event_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "shard" SMALLINT NOT NULL,
    "total_raised" BIGINT NOT NULL DEFAULT 0,
    "donor_count" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_total_pkey" PRIMARY KEY ("event_id","currency","shard")
);

-- CreateTable
CREATE TABLE "event_donor" (
    "event_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "donor_key" BYTEA NOT NULL,
    "gifts" INTEGER NOT NULL,

    CONSTRAINT "event_donor_pkey" PRIMARY KEY ("event_id","currency","donor_key")
);

-- CreateTable
CREATE TABLE "donation" (
    "id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "type" "donation_type" NOT NULL,
    "status" "donation_status" NOT NULL,
    "donor_name" TEXT,
    "donor_email" TEXT,
    "is_anonymous" BOOLEAN NOT NULL DEFAULT false,
    "message" TEXT,
    "message_state" "message_state" NOT NULL DEFAULT 'visible',
    "donor_key" BYTEA,
    "staff_id" UUID,
    "staff_name" TEXT,
    "provider" TEXT,
    "payment_id" TEXT,
    "capture_id" TEXT,
    "expected_amount" BIGINT,
    "expected_currency" TEXT,
    "refunded_amount" BIGINT NOT NULL DEFAULT 0,
    "paid_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "receipt_number" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "donation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "donation_history" (
    "id" UUID NOT NULL,
    "donation_id" UUID NOT NULL,
    "from_status" "donation_status",
    "to_status" "donation_status" NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "donation_history_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund" (
    "id" UUID NOT NULL,
    "donation_id" UUID,
    "provider" TEXT NOT NULL,
    "payment_id" TEXT NOT NULL,
    "provider_refund_id" TEXT,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" "refund_status" NOT NULL,
    "reason" TEXT,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refund_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dispute" (
    "id" UUID NOT NULL,
    "donation_id" UUID,
    "provider" TEXT NOT NULL,
    "payment_id" TEXT NOT NULL,
    "provider_dispute_id" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" "dispute_status" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dispute_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_event" (
    "provider" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "donation_id" UUID,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_event_pkey" PRIMARY KEY ("provider","event_id")
);

-- CreateTable
CREATE TABLE "attention_item" (
    "id" UUID NOT NULL,
    "kind" "attention_kind" NOT NULL,
    "subject" TEXT NOT NULL,
    "donation_id" UUID,
    "detail" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "resolved_at" TIMESTAMPTZ(3),
    "resolved_by" UUID,

    CONSTRAINT "attention_item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "donation_id" UUID,
    "sequence" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_feed" (
    "event_id" UUID NOT NULL,
    "last_sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_feed_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_digest" BYTEA NOT NULL,
    "donation_id" UUID NOT NULL,
    "answer" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("scope","key")
);

-- CreateTable
CREATE TABLE "receipt" (
    "donation_id" UUID NOT NULL,
    "year" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "receipt_pkey" PRIMARY KEY ("donation_id")
);

-- CreateTable
CREATE TABLE "receipt_counter" (
    "year" INTEGER NOT NULL,
    "last_number" INTEGER NOT NULL,

    CONSTRAINT "receipt_counter_pkey" PRIMARY KEY ("year")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT,
    "action" TEXT NOT NULL,
    "subject_id" TEXT,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "global_settings" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "value" JSONB NOT NULL DEFAULT '{}',
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "global_settings_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "admin_email_key" ON "admin"("email");

-- CreateIndex
CREATE UNIQUE INDEX "admin_idp_issuer_idp_subject_key" ON "admin"("idp_issuer", "idp_subject");

-- CreateIndex
CREATE UNIQUE INDEX "refresh_token_token_digest_key" ON "refresh_token"("token_digest");

-- CreateIndex
CREATE INDEX "refresh_token_family_id_idx" ON "refresh_token"("family_id");

-- CreateIndex
CREATE INDEX "refresh_token_admin_id_idx" ON "refresh_token"("admin_id");

-- CreateIndex
CREATE INDEX "refresh_token_expires_at_idx" ON "refresh_token"("expires_at");

-- CreateIndex
CREATE INDEX "sign_in_code_admin_id_idx" ON "sign_in_code"("admin_id");

-- CreateIndex
CREATE INDEX "sign_in_code_expires_at_idx" ON "sign_in_code"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "staff_member_pin_digest_key" ON "staff_member"("pin_digest");

-- CreateIndex
CREATE UNIQUE INDEX "event_slug_key" ON "event"("slug");

-- CreateIndex
CREATE INDEX "event_status_created_at_id_idx" ON "event"("status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "event_created_at_id_idx" ON "event"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "event_staff_staff_id_idx" ON "event_staff"("staff_id");

-- CreateIndex
CREATE UNIQUE INDEX "donation_receipt_number_key" ON "donation"("receipt_number");

-- CreateIndex
CREATE INDEX "donation_event_id_id_idx" ON "donation"("event_id", "id");

-- CreateIndex
CREATE INDEX "donation_event_id_status_id_idx" ON "donation"("event_id", "status", "id");

-- CreateIndex
CREATE INDEX "donation_event_id_type_id_idx" ON "donation"("event_id", "type", "id");

-- CreateIndex
CREATE INDEX "donation_event_id_amount_id_idx" ON "donation"("event_id", "amount", "id");

-- CreateIndex
CREATE INDEX "donation_staff_id_id_idx" ON "donation"("staff_id", "id");

-- CreateIndex
CREATE INDEX "donation_status_id_idx" ON "donation"("status", "id");

-- CreateIndex
CREATE INDEX "donation_type_id_idx" ON "donation"("type", "id");

-- CreateIndex
CREATE INDEX "donation_amount_id_idx" ON "donation"("amount", "id");

-- CreateIndex
CREATE UNIQUE INDEX "donation_provider_payment_id_key" ON "donation"("provider", "payment_id");

-- CreateIndex
CREATE UNIQUE INDEX "donation_provider_capture_id_key" ON "donation"("provider", "capture_id");

-- CreateIndex
CREATE INDEX "donation_history_donation_id_id_idx" ON "donation_history"("donation_id", "id");

-- CreateIndex
CREATE INDEX "refund_donation_id_idx" ON "refund"("donation_id");

-- CreateIndex
CREATE INDEX "refund_provider_payment_id_idx" ON "refund"("provider", "payment_id");

-- CreateIndex
CREATE UNIQUE INDEX "refund_provider_provider_refund_id_key" ON "refund"("provider", "provider_refund_id");

-- CreateIndex
CREATE INDEX "dispute_donation_id_idx" ON "dispute"("donation_id");

-- CreateIndex
CREATE INDEX "dispute_provider_payment_id_idx" ON "dispute"("provider", "payment_id");

-- CreateIndex
CREATE UNIQUE INDEX "dispute_provider_provider_dispute_id_key" ON "dispute"("provider", "provider_dispute_id");

-- CreateIndex
CREATE INDEX "provider_event_received_at_idx" ON "provider_event"("received_at");

-- CreateIndex
CREATE UNIQUE INDEX "attention_item_kind_subject_key" ON "attention_item"("kind", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_event_id_sequence_key" ON "outbox"("event_id", "sequence");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "receipt_year_number_key" ON "receipt"("year", "number");

-- CreateIndex
CREATE INDEX "audit_entry_created_at_idx" ON "audit_entry"("created_at");

-- CreateIndex
CREATE INDEX "audit_entry_subject_id_idx" ON "audit_entry"("subject_id");

-- AddForeignKey
ALTER TABLE "refresh_token" ADD CONSTRAINT "refresh_token_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_code" ADD CONSTRAINT "sign_in_code_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_staff" ADD CONSTRAINT "event_staff_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_staff" ADD CONSTRAINT "event_staff_staff_id_fkey" FOREIGN KEY ("staff_id") REFERENCES "staff_member"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_total" ADD CONSTRAINT "event_total_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_donor" ADD CONSTRAINT "event_donor_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "donation" ADD CONSTRAINT "donation_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "donation" ADD CONSTRAINT "donation_staff_id_fkey" FOREIGN KEY ("staff_id") REFERENCES "staff_member"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "donation_history" ADD CONSTRAINT "donation_history_donation_id_fkey" FOREIGN KEY ("donation_id") REFERENCES "donation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refund" ADD CONSTRAINT "refund_donation_id_fkey" FOREIGN KEY ("donation_id") REFERENCES "donation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dispute" ADD CONSTRAINT "dispute_donation_id_fkey" FOREIGN KEY ("donation_id") REFERENCES "donation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_donation_id_fkey" FOREIGN KEY ("donation_id") REFERENCES "donation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

