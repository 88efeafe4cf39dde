#!/usr/bin/env bash
# Creates the role that the service signs in as and a database that belongs to it; what is there already is kept, and
# the database is given to the role. Run it as an administrator of the server, whom PGHOST, PGUSER and so on name:
#
#   ROLE_PASSWORD=… bash scripts/database/create.sh [DATABASE] [ROLE]      both are "donations" unless named
#
# ROLE_PASSWORD is the password of the role; without it the password stays as it is.
# ADMIN_BY_SOCKET_ONLY=true: afterwards the administrator signs in by the local socket only (containers).
set -euo pipefail

export DATABASE="${1:-donations}" ROLE="${2:-donations}" ROLE_PASSWORD="${ROLE_PASSWORD:-}"
export ADMIN_BY_SOCKET_ONLY="${ADMIN_BY_SOCKET_ONLY:-false}"

# The password comes by the environment: arguments of a program can be read by everybody on the machine.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname="${PGDATABASE:-postgres}" <<'SQL'
\getenv database DATABASE
\getenv role ROLE
\getenv password ROLE_PASSWORD
\getenv lock_admin ADMIN_BY_SOCKET_ONLY
SELECT format('CREATE ROLE %I LOGIN', :'role')
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', :'role', :'password') WHERE :'password' <> '' \gexec
-- An administrator who is no superuser, as at most hosts, gives away only what a member of the role may.
SELECT format('GRANT %I TO CURRENT_USER', :'role')
 WHERE NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) \gexec
SELECT format('CREATE DATABASE %I OWNER %I ENCODING ''UTF8'' TEMPLATE template0', :'database', :'role')
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SELECT format('ALTER DATABASE %I OWNER TO %I', :'database', :'role')
  FROM pg_database WHERE datname = :'database' AND pg_get_userbyid(datdba) <> :'role' \gexec
-- Never the role of the service, which may be the administrator in an older container.
SELECT format('ALTER ROLE %I PASSWORD NULL', current_user)
 WHERE :'lock_admin' = 'true' AND current_user <> :'role' \gexec
SQL
