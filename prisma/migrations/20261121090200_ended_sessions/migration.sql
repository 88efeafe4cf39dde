-- CreateTable
CREATE TABLE "ended_session" (
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ended_session_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ended_session_expires_at_idx" ON "ended_session"("expires_at");
