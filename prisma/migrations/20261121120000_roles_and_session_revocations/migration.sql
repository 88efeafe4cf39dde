-- Those who sign in by password or identity provider have a role. Whoever is there already is an admin; from now
-- on an insert must say the role, so that a forgotten one is an error and not an admin.
CREATE TYPE "admin_role" AS ENUM ('ADMIN', 'ACCOUNTANT');
ALTER TABLE "admin" ADD COLUMN "role" "admin_role" NOT NULL DEFAULT 'ADMIN';
ALTER TABLE "admin" ALTER COLUMN "role" DROP DEFAULT;

-- What an accountant did stays an accountant's deed, whatever the role is later.
ALTER TYPE "actor_kind" ADD VALUE 'accountant';

-- The words of the field: a sign-in that was ended early is a revoked session.
ALTER TABLE "ended_session" RENAME TO "session_revocation";
ALTER TABLE "session_revocation" RENAME CONSTRAINT "ended_session_pkey" TO "session_revocation_pkey";
ALTER INDEX "ended_session_expires_at_idx" RENAME TO "session_revocation_expires_at_idx";
