#!/bin/bash
# Creates the database and the two roles of each service: <name>_owner runs migrations. The service connects as <name>_service,
# which owns nothing. PostgreSQL's image runs this script once, from /docker-entrypoint-initdb.d. For another server, run it on a
# machine where psql reaches the server as a superuser (PGHOST, PGPASSWORD, POSTGRES_USER). The roles get the passwords in
# FEEDBACK_OWNER_PASSWORD, FEEDBACK_SERVICE_PASSWORD and so on.
set -euo pipefail
for name in feedback auth_mfa notify billing; do
    owner=${name^^}_OWNER_PASSWORD service=${name^^}_SERVICE_PASSWORD
    psql -qX -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres \
        -v name="$name" -v owner="${name}_owner" -v service="${name}_service" \
        -v owner_password="${!owner}" -v service_password="${!service}" <<'SQL'
CREATE ROLE :"owner" LOGIN CREATEROLE PASSWORD :'owner_password';
CREATE ROLE :"service" LOGIN PASSWORD :'service_password';
ALTER ROLE :"service" SET statement_timeout = '10s';
ALTER ROLE :"service" SET idle_in_transaction_session_timeout = '30s';
ALTER ROLE :"service" SET log_error_verbosity = terse;
ALTER ROLE :"service" SET log_parameter_max_length = 0;
CREATE DATABASE :"name" OWNER :"owner";
\connect :"name"
GRANT ALL ON SCHEMA public TO :"owner";
SQL
done
