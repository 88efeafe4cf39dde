#!/usr/bin/env bash
# Restores a backup of backup.sh into a new database that belongs to the role of the service. Run it as an
# administrator of the server, named by PGHOST, PGUSER and so on:
#
#   bash scripts/database/restore.sh FILE.dump [DATABASE] [ROLE]      defaults: "donations_restored" and "donations"
#
# With DATA_DIR, the pictures next to the file are restored into $DATA_DIR/assets.
# A failed restore leaves no database behind.
set -euo pipefail

file="${1:?usage: restore.sh FILE.dump [DATABASE] [ROLE]}"
database="${2:-donations_restored}"
role="${3:-donations}"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
assets="${file%.dump}.assets.tar"
if [ "$#" -gt 3 ] || [[ "$database" == */* || "$database" == *.dump ]]; then
  echo "Name one file, then the new database: restore.sh FILE.dump [DATABASE] [ROLE]" >&2
  exit 1
fi
# These variables name the current database, not the new one. A restore does not change the administrator's
# password.
unset DATABASE_URL PGDATABASE ADMIN_BY_SOCKET_ONLY

pg_restore --list "$file" >/dev/null
known="$(psql --no-psqlrc --tuples-only --no-align --dbname=postgres --set=database="$database" \
  <<<"SELECT 1 FROM pg_database WHERE datname = :'database'")"
if [ -n "$known" ]; then
  echo "The database $database exists. Name another one: restore.sh $file ${database}_2 $role" >&2
  exit 1
fi

bash "$here/create.sh" "$database" "$role"
trap 'dropdb --if-exists "$database"; echo "The restore failed; $database was removed again." >&2' ERR
pg_restore --no-owner --role="$role" --exit-on-error --single-transaction --dbname="$database" "$file"
if [ -n "${DATA_DIR:-}" ] && [ -f "$assets" ]; then tar --extract --file="$assets" --directory="$DATA_DIR"; fi
trap - ERR
echo "restored into $database, which belongs to $role; start one server on it with RESTORED_COPY=true"
