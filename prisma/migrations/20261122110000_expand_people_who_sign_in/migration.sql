-- People are invited, have no password until they accept, can be disabled, and may have a second factor.
ALTER TABLE "admin" ADD COLUMN "name" TEXT;
ALTER TABLE "admin" ADD COLUMN "disabled_at" TIMESTAMPTZ(3);
ALTER TABLE "admin" ADD COLUMN "last_sign_in_at" TIMESTAMPTZ(3);
ALTER TABLE "admin" ADD COLUMN "totp_sealed" BYTEA;
ALTER TABLE "admin" ADD COLUMN "totp_confirmed_at" TIMESTAMPTZ(3);
ALTER TABLE "admin" ADD COLUMN "totp_last_step" BIGINT;
ALTER TABLE "admin" ALTER COLUMN "password_hash" DROP NOT NULL;

CREATE TABLE "admin_invitation" (
    "token_digest" BYTEA NOT NULL,
    "admin_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    CONSTRAINT "admin_invitation_pkey" PRIMARY KEY ("token_digest"),
    CONSTRAINT "admin_invitation_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id")
      ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "admin_invitation_admin_id_idx" ON "admin_invitation"("admin_id");
CREATE INDEX "admin_invitation_expires_at_idx" ON "admin_invitation"("expires_at");

CREATE TABLE "recovery_code" (
    "admin_id" UUID NOT NULL,
    "code_digest" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("admin_id", "code_digest"),
    CONSTRAINT "recovery_code_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin"("id")
      ON DELETE CASCADE ON UPDATE CASCADE
);

-- Where a sign-in was last renewed from, and whether the identity provider asked for a second factor at it.
ALTER TABLE "refresh_token" ADD COLUMN "address" TEXT;
ALTER TABLE "refresh_token" ADD COLUMN "client" TEXT;
ALTER TABLE "refresh_token" ADD COLUMN "idp_second_factor" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "sign_in_code" ADD COLUMN "idp_second_factor" BOOLEAN NOT NULL DEFAULT false;

-- Tokens made before this moment are worthless, whatever a restored backup says about their sessions.
CREATE TABLE "session_epoch" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "ended_before" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "session_epoch_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "session_epoch_one_row" CHECK ("id" = 1)
);

-- The browser or program of the request, as a short label.
ALTER TABLE "audit_entry" ADD COLUMN "client" TEXT;
