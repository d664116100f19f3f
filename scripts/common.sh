# Functions that the scripts share. Source this file; do not run it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD
RUN=${TETRAD_RUN:-$ROOT/.run} # each folder is an independent run
PG_BIN=/usr/lib/postgresql/15/bin

# Columns: name, prefix, port, ops-port, database, host. A service without a folder is left out.
SERVICES_TABLE='
feedback FEEDBACK 8101 9101 feedback feedback.localhost
auth-mfa AUTH     8102 9102 auth_mfa auth.localhost
notify   NOTIFY   8103 9103 notify   notify.localhost
billing  BILLING  8104 9104 billing  billing.localhost'

# Calls `$1 name prefix port ops-port database host` for each service with a folder. If TETRAD_ONLY is set, only for that service.
for_each_service() {
    local name rest
    while read -r name rest <&3; do
        [ -n "$name" ] && [ -f "services/$name/CMakeLists.txt" ] || continue
        [ -z "${TETRAD_ONLY:-}" ] || [ "$TETRAD_ONLY" = "$name" ] || continue
        "$1" "$name" $rest
    done 3<<<"$SERVICES_TABLE"
}

say() { printf '%s\n' "$*" >&2; }
die() {
    say "error: $*"
    exit 1
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# progress LABEL COMMAND...: runs the command without its output. A terminal shows the elapsed time and the last line;
# otherwise one line is printed at the start. If the command fails, prints the end of its output and exits.
progress() {
    local label=$1 log started status=0
    shift
    log=$(mktemp)
    started=$SECONDS
    if [ -t 2 ]; then
        "$@" >"$log" 2>&1 &
        local pid=$!
        while kill -0 "$pid" 2>/dev/null; do
            printf '\r\033[K%s … %ds  %s' "$label" $((SECONDS - started)) "$(tail -n 1 "$log" | tr -d '\r' | cut -c1-60)" >&2
            sleep 0.5
        done
        wait "$pid" || status=$?
        printf '\r\033[K%s (%ds)\n' "$label" $((SECONDS - started)) >&2
    else
        say "$label"
        "$@" >"$log" 2>&1 || status=$?
    fi
    if [ "$status" != 0 ]; then
        tail -n 40 "$log" >&2
        rm -f "$log"
        die "$label failed (exit $status)"
    fi
    rm -f "$log"
}

# need_packages FILE...: installs the missing packages of the lists in scripts/packages with apt.
need_packages() {
    local wanted missing=() package
    wanted=$(sed 's/#.*//' "$@" | tr -s ' \n' '\n' | sort -u)
    for package in $wanted; do
        dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    # A `node` that was not installed with apt is accepted too.
    if command -v node >/dev/null && command -v npm >/dev/null; then
        missing=($(printf '%s\n' "${missing[@]}" | grep -vxE 'nodejs|npm' || true))
    fi
    [ ${#missing[@]} -gt 0 ] || return 0
    progress "Reading package lists" as_root apt-get update -q
    progress "Installing ${#missing[@]} packages" \
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]: configures and builds. ninja shows its own progress.
build() {
    local preset=$1
    shift
    progress "Configuring ($preset)" cmake --preset "$preset"
    say "Building ($preset)"
    cmake --build --preset "$preset" ${1:+--target "$@"}
}

# PostgreSQL refuses to run as root. Root runs it as the system user `postgres`.
exec_as_postgres() {
    if [ "$(id -u)" = 0 ]; then exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else exec "$@"; fi
}
as_postgres() { (exec_as_postgres "$@"); }

free_ports() { # COUNT; all different, in one line
    local port left=$1
    for port in $(shuf -i 20000-29999 -n 100); do
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            printf '%s ' "$port"
            left=$((left - 1))
            [ "$left" -gt 0 ] || return 0
        fi
    done
    die "no free port between 20000 and 29999"
}

alive() { [ -n "${1:-}" ] && kill -0 "$1" 2>/dev/null; }

# stop_pid PID SECONDS: sends SIGTERM, and SIGKILL if the process has not ended after SECONDS.
stop_pid() {
    local pid=$1 left=$(($2 * 10))
    alive "$pid" || return 0
    kill "$pid" 2>/dev/null || true
    while alive "$pid" && [ $((left--)) -gt 0 ]; do sleep 0.1; done
    if alive "$pid"; then kill -KILL "$pid" 2>/dev/null || true; fi
}

random_text() { openssl rand -base64 48 | tr -dc 'A-Za-z0-9' | cut -c1-40; }
