#!/usr/bin/env bash
# Backs up the database that DATABASE_URL or PGHOST, PGDATABASE and so on name:
#
#   bash scripts/database/backup.sh FOLDER [HOURS]
#
# Writes FOLDER/donations-<time>.dump, and beside it the pictures of $DATA_DIR/assets where there are any. The time is
# recorded in the database, where the metric backup_last_success_timestamp_seconds reads it.
# With HOURS it does not end: it makes a backup whenever the newest one is older than that.
# Backups older than BACKUP_KEEP_DAYS (14) are deleted, after a new one has succeeded.
set -euo pipefail

folder="${1:?usage: backup.sh FOLDER [HOURS]}"
hours="${2:-}"
keep_days="${BACKUP_KEEP_DAYS:-14}"
RETRY_SECONDS=300
database=()
[ -z "${DATABASE_URL:-}" ] || database=(--dbname="$DATABASE_URL")

umask 077
mkdir -p "$folder"

back_up() {
  local name part assets="${DATA_DIR:-}/assets"
  name="donations-$(date -u +%Y%m%dT%H%M%SZ)"
  part="$folder/.$name.part"
  rm -f "$folder"/.donations-*.part*
  pg_dump --format=custom --file="$part" "${database[@]}" || return
  # A file that pg_restore cannot read is no backup.
  pg_restore --list "$part" >/dev/null || return
  if [ -n "${DATA_DIR:-}" ] && [ -d "$assets" ]; then
    tar --create --file="$part.tar" --directory="$DATA_DIR" assets || return
    mv "$part.tar" "$folder/$name.assets.tar" || return
  fi
  sync "$part" && mv "$part" "$folder/$name.dump" || return
  # A database from before its upgrade has no such table.
  psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 "${database[@]}" >/dev/null <<SQL || return
SELECT 'INSERT INTO last_backup (id, finished_at, bytes) VALUES (1, now(), $(stat --format=%s "$folder/$name.dump"))
    ON CONFLICT (id) DO UPDATE SET finished_at = excluded.finished_at, bytes = excluded.bytes'
 WHERE to_regclass('last_backup') IS NOT NULL \gexec
SQL
  find "$folder" -maxdepth 1 -type f -name 'donations-*' -mtime "+$keep_days" -delete
  echo "backed up to $folder/$name.dump"
}

is_due() {
  [ -z "$(find "$folder" -maxdepth 1 -name 'donations-*.dump' -mmin "-$((hours * 60))" -print -quit)" ]
}

if [ -z "$hours" ]; then
  back_up
  exit
fi
# A signal ends the pause, too.
trap 'exit 0' TERM INT
while true; do
  if is_due && ! back_up; then echo "the backup failed; the next attempt is in $RETRY_SECONDS s" >&2; fi
  sleep "$RETRY_SECONDS" &
  wait $!
done
