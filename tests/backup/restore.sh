#!/usr/bin/env bash
# restore.sh PROGRAM: PROGRAM (feedback) fills a database. scripts/backup and scripts/restore copy it to a new PostgreSQL that has
# the roles and an empty database. PROGRAM runs on the copy, which must have the same rows and policies and give the same responses.
source "$(dirname "$0")/../../scripts/common.sh"
program=$1
work=$(mktemp -d /tmp/tetrad-backup.XXXXXX)
chmod 711 "$work" # the user `postgres` needs access to a folder in this one
pids=()
# Stops the processes in reverse order: the last ones depend on the first ones.
stop_all() {
    local i
    for ((i = ${#pids[@]} - 1; i >= 0; i--)); do stop_pid "${pids[i]}" 10; done
    pids=()
}
finish() {
    local status=$?
    [ "$status" = 0 ] || tail -n 20 "$work"/*.log >&2
    stop_all
    rm -rf "$work"
}
trap finish EXIT

eventually() { # COMMAND...
    local left=600
    until "$@" >/dev/null 2>&1; do
        [ $((left--)) -gt 0 ] || die "no success within 60 s: $*"
        sleep 0.1
    done
}

same() { # WHAT EXPECTED ACTUAL
    [ -n "$2" ] && [ "$2" = "$3" ] || die "changed by the restore: $1: ${3:0:500} instead of ${2:0:500}"
    say "same after the restore: $1"
}

start_postgres() { # NAME: a new PostgreSQL with the roles and an empty database
    mkdir "$work/$1"
    [ "$(id -u)" != 0 ] || chown postgres "$work/$1"
    as_postgres "$PG_BIN/initdb" -D "$work/$1/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$work/$1.log"
    exec_as_postgres "$PG_BIN/postgres" -D "$work/$1/data" -k "$work/$1" -c listen_addresses='' -c fsync=off \
        </dev/null >>"$work/$1.log" 2>&1 &
    pids+=($!)
    eventually "$PG_BIN/pg_isready" -q -h "$work/$1"
    sql "$1" postgres postgres "
        CREATE ROLE feedback_owner LOGIN CREATEROLE;
        CREATE ROLE feedback_service LOGIN;
        CREATE ROLE tetrad_backup LOGIN BYPASSRLS IN ROLE pg_read_all_data;"
    sql "$1" postgres postgres "CREATE DATABASE feedback OWNER feedback_owner"
}

sql() { "$PG_BIN/psql" -qAtX -v ON_ERROR_STOP=1 -h "$work/$1" -U "$2" -d "$3" -c "$4"; } # NAME ROLE DATABASE STATEMENT
url() { echo "postgresql://$2@/feedback?host=$work/$1"; }                                # NAME ROLE

start_service() { # NAME
    read -r port ops <<<"$(free_ports 2)"
    DATABASE_URL=$(url "$1" feedback_owner) "$program" migrate >>"$work/service.log" 2>&1
    PORT=$port OPS_PORT=$ops DATABASE_URL=$(url "$1" feedback_service) "$program" serve </dev/null >>"$work/service.log" 2>&1 &
    service=$!
    pids+=("$service")
    eventually curl --noproxy '*' -fs "http://127.0.0.1:$ops/readyz"
}

call() { # CREDENTIAL METHOD PATH [BODY]
    curl --noproxy '*' -sS --fail-with-body -X "$2" "http://127.0.0.1:$port$3" -H 'Host: demo-sandbox.feedback.localhost' \
        -H "Authorization: Bearer $1" ${4:+-H 'Content-Type: application/json' --data-binary "$4"}
}

start_redis() {
    read -r redis_port <<<"$(free_ports 1)"
    redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --dir "$work" </dev/null >"$work/redis.log" 2>&1 &
    pids+=($!)
    eventually redis-cli -p "$redis_port" ping
}

start_redis
export MASTER_KEY=$(random_text) ENCRYPTION_KEYS=test:$(openssl rand -base64 32) REDIS_URL=redis://127.0.0.1:$redis_port
export BLOB_DIR=$work/blobs EMAIL_OUTBOX=$work/emails JWKS_FILE=$work/jwks.json THREADS=2
printf '{"keys":[]}' >"$JWKS_FILE"

say "Filling the database"
start_postgres old
start_service old
call "$MASTER_KEY" PUT /v1/admin/tenants/demo '{"displayName":"Demo"}' >"$work/tenant"
key=$(call "$MASTER_KEY" POST /v1/keys '{"environment":"sandbox"}' | jq -er .key)
for n in 1 2 3 4 5; do
    made=$(call "$key" POST /v1/feedbacks '{"category":"bug","title":"Export '$n'","body":"ünïcode \\ \"quoted\"","tags":["a","b"]}')
    id=$(jq -er .feedbackId <<<"$made")
    call "$key" POST "/v1/feedbacks/$id/replies" '{"body":"Reply '$n'"}' >/dev/null
done
call "$key" POST /v1/webhooks '{"url":"https://example.com/hook"}' >/dev/null

rows() { # NAME: the number of rows of each table; row-level security does not apply
    sql "$1" postgres feedback "
        SELECT string_agg(t.relname || ' ' ||
            (xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM ' || t.oid::regclass, false, true, '')))[1], ', '
            ORDER BY t.relname)
        FROM pg_class t WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'"
}
walls() { # NAME: owners, privileges and row-level security of each table
    sql "$1" postgres feedback "
        SELECT string_agg(concat_ws(' ', relname, relrowsecurity, relforcerowsecurity, pg_get_userbyid(relowner), relacl::text,
            (SELECT string_agg(polname || polcmd::text || pg_get_expr(polqual, polrelid) || pg_get_expr(polwithcheck, polrelid), ';')
                FROM pg_policy WHERE polrelid = c.oid)), E'\n' ORDER BY relname)
        FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
}
read_all() {
    call "$key" GET /v1/feedbacks
    call "$key" GET "/v1/feedbacks/$id"
    call "$key" GET "/v1/feedbacks/$id/replies"
    call "$key" GET "/v1/feedbacks/$id/history"
    call "$key" GET /v1/webhooks
    call "$MASTER_KEY" GET /v1/admin/tenants/demo
}
answers=$(read_all)
stop_pid "$service" 30
old_rows=$(rows old) old_walls=$(walls old)
[[ $old_rows == *", feedbacks 5, "*", replies 5, "* ]] || die "rows are missing: $old_rows"

say "Backing up the database; a backup as the owner must fail, because row-level security hides every row"
if DATABASE_URL=$(url old feedback_owner) scripts/backup "$work/partial" 2>"$work/refusal.log"; then die "a backup as the owner succeeded"; fi
[ ! -e "$work/partial" ] && [ ! -e "$work/partial.part" ] || die "a failed backup left a file behind"
DATABASE_URL=$(url old tetrad_backup) scripts/backup "$work/feedback.dump"
stop_all
start_redis # an empty one: the data in Redis are not needed
REDIS_URL=redis://127.0.0.1:$redis_port

say "Restoring the backup into another PostgreSQL and starting the service"
start_postgres new
DATABASE_URL=$(url new feedback_owner) scripts/restore "$work/feedback.dump"
same "the number of rows" "$old_rows" "$(rows new)"
same "row-level security" "$old_walls" "$(walls new)"
for role in feedback_owner feedback_service; do
    [ "$(sql new $role feedback 'SELECT count(*) FROM feedbacks')" = 0 ] || die "$role sees rows without a scope"
done
if DATABASE_URL=$(url new feedback_owner) scripts/restore "$work/feedback.dump" 2>>"$work/refusal.log"; then die "scripts/restore accepted a database that has tables"; fi
start_service new
same "the service's responses" "$answers" "$(read_all)"
call "$key" POST /v1/feedbacks '{"category":"bug","title":"New","body":"After the restore"}' >/dev/null
[ "$(call "$key" GET /v1/feedbacks | jq '.items | length')" = 6 ] || die "the new thread is missing"
say "Restored and served."
