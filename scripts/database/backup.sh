#!/usr/bin/env bash
# Backs up the database named by DATABASE_URL or by PGHOST, PGDATABASE and so on:
#
#   bash scripts/database/backup.sh FOLDER [HOURS]
#
# Writes FOLDER/donations-<time>.dump, and next to it the pictures of $DATA_DIR/assets, if there are any. The time is
# recorded in the database for the metric backup_last_success_timestamp_seconds.
# With HOURS, it runs without end and makes a backup when the newest backup is older than this number of hours.
# After each successful backup, it deletes the backups that are older than BACKUP_KEEP_DAYS (14).
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
  # Check that pg_restore can read the file.
  pg_restore --list "$part" >/dev/null || return
  if [ -n "${DATA_DIR:-}" ] && [ -d "$assets" ]; then
    tar --create --file="$part.tar" --directory="$DATA_DIR" assets || return
    mv "$part.tar" "$folder/$name.assets.tar" || return
  fi
  sync "$part" && mv "$part" "$folder/$name.dump" || return
  # A database that is not upgraded yet does not have this table.
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
# A signal also ends the pause.
trap 'exit 0' TERM INT
while true; do
  if is_due && ! back_up; then echo "the backup failed; the next attempt is in $RETRY_SECONDS s" >&2; fi
  sleep "$RETRY_SECONDS" &
  wait $!
done
