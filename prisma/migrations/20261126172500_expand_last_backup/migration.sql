-- When the last backup of this database succeeded; scripts/database/backup.sh writes it, the metrics show it.
CREATE TABLE "last_backup" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "last_backup_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "last_backup_one_row" CHECK ("id" = 1)
);
