#!/usr/bin/env bash
# Creates the database role of the service, and a database owned by this role. Existing ones are kept, and the role
# becomes the owner. Run it as an administrator of the server, named by PGHOST, PGUSER and so on:
#
#   ROLE_PASSWORD=… bash scripts/database/create.sh [DATABASE] [ROLE]      default for both: "donations"
#
# ROLE_PASSWORD is the password of the role; without it the password does not change.
# ADMIN_BY_SOCKET_ONLY=true: afterwards the administrator can sign in only by the local socket (for containers).
set -euo pipefail

export DATABASE="${1:-donations}" ROLE="${2:-donations}" ROLE_PASSWORD="${ROLE_PASSWORD:-}"
export ADMIN_BY_SOCKET_ONLY="${ADMIN_BY_SOCKET_ONLY:-false}"

# The password is in the environment, because all users of the machine can read the arguments of a program.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname="${PGDATABASE:-postgres}" <<'SQL'
\getenv database DATABASE
\getenv role ROLE
\getenv password ROLE_PASSWORD
\getenv lock_admin ADMIN_BY_SOCKET_ONLY
SELECT format('CREATE ROLE %I LOGIN', :'role')
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', :'role', :'password') WHERE :'password' <> '' \gexec
-- At most hosts the administrator is no superuser, and must be a member of the role to change its ownership.
SELECT format('GRANT %I TO CURRENT_USER', :'role')
 WHERE NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) \gexec
SELECT format('CREATE DATABASE %I OWNER %I ENCODING ''UTF8'' TEMPLATE template0', :'database', :'role')
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SELECT format('ALTER DATABASE %I OWNER TO %I', :'database', :'role')
  FROM pg_database WHERE datname = :'database' AND pg_get_userbyid(datdba) <> :'role' \gexec
-- Never for the role of the service, which may be the administrator in an older container.
SELECT format('ALTER ROLE %I PASSWORD NULL', current_user)
 WHERE :'lock_admin' = 'true' AND current_user <> :'role' \gexec
SQL
