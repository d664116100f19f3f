# Functions that call the services of an installation: of the local run, or at URLs. Source this file after common.sh; do not run it.
# The caller sets `options` (the value of each option), `tenant` and `slug`.

finished=() # the changes so far
fail() {
    say "error: $*"
    [ ${#finished[@]} = 0 ] || say "Completed before the error: $(printf '%s; ' "${finished[@]}" | sed 's/; $//')."
    exit 1
}
misuse() { say "error: $* See scripts/tenant --help." && exit 2; }
absolute() { if [[ $1 == /* ]]; then echo "$1"; else echo "$caller/$1"; fi; } # common.sh changes the folder

# name_service AREA: prints the name of the service.
name_service() {
    case $1 in
    auth | auth-mfa) echo auth-mfa ;;
    feedback | notify | billing) echo "$1" ;;
    *) misuse "'$1' is not a service. Use feedback, auth, notify or billing." ;;
    esac
}

# --- the installation -----------------------------------------------------------------------------------------------------------

# base_url NAME URL: prints a valid URL in lower case, without a slash at the end. The error does not repeat the URL, because a wrong
# URL may contain a password.
base_url() {
    [[ ${2,,} =~ ^(https?)://([a-z0-9.-]+)(:[0-9]+)?/?$ ]] ||
        misuse "$1 must have the form https://HOST or https://HOST:PORT, without a user, a path and a query."
    local scheme=${BASH_REMATCH[1]} host=${BASH_REMATCH[2]} port=${BASH_REMATCH[3]}
    ! [[ $host =~ ^[0-9.]+$ ]] || misuse "$1 has an IP address. Use the BASE_HOST of the service: hosts of tenants are SLUG.BASE_HOST."
    [ "$scheme" = https ] || [[ .$host == *.localhost ]] ||
        misuse "$1 must begin with https://. Without TLS, others could read the master key. Only localhost and *.localhost may have http://."
    echo "$scheme://$host$port"
}

# find_urls: sets `urls` (by service), `remote` (empty: the local run) and `cacert`.
find_urls() {
    declare -gA urls=()
    remote='' cacert=''
    [ -z "${options[--local]:-}" ] || return 0
    local area name value all=${options[--url]:-${TETRAD_URL:-}}
    [ -z "$all" ] || [[ $all == *'{area}'* ]] ||
        misuse "--url must contain {area}, for example https://{area}.example.com. For one service, use its own option."
    for area in feedback auth notify billing; do
        name=TETRAD_${area^^}_URL
        value=${options[--$area-url]:-${!name:-${all//'{area}'/$area}}}
        [ -n "$value" ] || continue
        value=$(base_url "The URL of $area" "$value")
        urls[$(name_service "$area")]=$value
    done
    remote=${urls[*]}
    cacert=${options[--cacert]:-${TETRAD_CACERT:-}}
    [ -n "$remote" ] && [ -n "$cacert" ] || return 0
    cacert=$(absolute "$cacert")
    [ -r "$cacert" ] || fail "The file of --cacert, $cacert, does not exist or cannot be read."
}

# check_selection: names the services without a URL. Fails if no service is left.
check_selection() {
    local selected='' left_out=''
    inspect() {
        local area=${2,,}
        if [ -n "${urls[$1]:-}" ]; then selected=1; else left_out+=", $1 (--$area-url)"; fi
    }
    for_each_service inspect
    [ -n "$selected" ] || fail "There is no URL for ${left_out#, }."
    [ -z "$left_out" ] || say "left out, because there is no URL: ${left_out#, }"
}

# read_key: sets `key`. The key of the local run is never sent to another installation.
read_key() {
    local file=${options[--key-file]:-} mode env_file=$RUN/env
    [ ! -f "$RUN/env.new" ] || env_file=$RUN/env.new
    if [ -z "$remote" ] && [ -f "$env_file" ]; then source "$env_file"; fi
    [ -n "$file" ] || [ -z "$remote" ] || file=${MASTER_KEY_FILE:-}
    key=${MASTER_KEY:-}
    if [ "$file" = - ]; then
        key=$(cat)
    elif [ -n "$file" ]; then
        file=$(absolute "$file")
        [ -e "$file" ] || fail "The key file $file does not exist."
        [ ! -d "$file" ] && [ -r "$file" ] || fail "The key file $file cannot be read. Check its owner and mode."
        mode=$(stat -Lc %a "$file")
        [ ! -f "$file" ] || [ $((8#$mode & 8#044)) = 0 ] ||
            say "warning: other users can read the key file $file (mode $mode). Run: chmod 600 $file"
        key=$(<"$file")
    elif [ -z "$key" ]; then
        [ -z "$remote" ] || fail "The master key is missing. Use --key-file FILE, or set MASTER_KEY_FILE or MASTER_KEY."
        fail "MASTER_KEY is not set and .run/env does not exist. Start scripts/run first, or use --url."
    fi
    key=${key%$'\r'}
    [ -n "$key" ] || fail "The key file is empty."
    [[ ! $key =~ [[:cntrl:][:space:]] ]] || fail "The master key must be one line without spaces."
}

# each_service FUNCTION: calls the function for each selected service, with `service`, `prefix`, `local_port` and `base_host` set.
each_service() {
    action=$1
    for_each_service visit
}
visit() { # NAME PREFIX ...
    local port=$2_PORT host=$2_HOST
    if [ -z "$remote" ]; then
        [ -n "${!port:-}" ] || fail "$port is not set. Start scripts/run first, or set it."
    elif [ -z "${urls[$1]:-}" ]; then
        return
    fi
    service=$1 prefix=$2 local_port=${!port:-} base_host=${!host:-}
    "$action"
}

# --- requests -------------------------------------------------------------------------------------------------------------------

# credential: curl's configuration with the key. curl reads it from a file descriptor, so the key is never in a command line.
credential() {
    local escaped=${key//\\/\\\\}
    printf 'header = "Authorization: Bearer %s"\n' "${escaped//\"/\\\"}"
}

# request METHOD PATH [BODY] [LABEL]: sends a request to the service, sets `status` and `body`. LABEL is the first label of the host,
# which names a tenant's environment. The body goes through the standard input, because it may contain a password.
request() {
    local address answer arguments=(-sS --connect-timeout 10 --max-time 300)
    if [ -n "$remote" ]; then
        address=${urls[$service]/'://'/"://${4:-admin}."}
        arguments+=(--no-insecure --no-location ${cacert:+--cacert "$cacert"}) # takes precedence over .curlrc
        [[ $address/ != *.localhost[:/]* ]] || arguments+=(--noproxy '*')
    else
        address=http://127.0.0.1:$local_port
        arguments+=(--noproxy '*' ${4:+-H "Host: $4.$base_host"})
    fi
    if ! answer=$(curl "${arguments[@]}" -X "$1" "$address$2" -K <(credential) -w '\n%{http_code}' \
        ${3:+-H 'Content-Type: application/json' --data-binary @-} <<<"${3:-}"); then
        [ -n "$remote" ] || fail "no response from port $local_port. Start scripts/run first."
        fail "$service: no response from $address to $1 $2"
    fi
    status=${answer##*$'\n'} body=${answer%$'\n'*}
}

# problem: prints status, error code, requestId and details of a response.
problem() {
    local text=''
    text=$(jq -r --arg status "$status" '[$status + " " + .error, "requestId " + .requestId, .detail] | join(", ")' <<<"$body" 2>/dev/null) || true
    printf '%s\n' "${text:-$status ${body:0:200}}" # the response of a proxy may be no JSON, or empty
}
refused() { fail "$service: $1: $(problem)"; } # REQUEST

# call METHOD PATH [BODY] [LABEL]: as `request`, and fails unless the request succeeds.
call() {
    request "$@"
    [[ $status == 2* ]] || refused "$1 $2"
}

# absent: whether the service refused the request because it does not have the tenant. Says so.
absent() {
    [[ $(problem) == '404 TENANT_NOT_FOUND'* ]] || return 1
    say "$service: left out, because it does not have the tenant $slug: $(problem)"
}

# get_tenant: requests the tenant and sets `known`. Returns 1 if the service does not have it.
get_tenant() {
    request GET "$tenant"
    ! absent || return 1
    [[ $status == 2* ]] || refused "GET $tenant"
    known=1
}

field() { jq -r --arg name "$1" '.[$name] // empty' <<<"$body"; } # NAME: a field of the response

# completed TEXT: remembers a change of the service for the message of a later error. report TEXT: also prints it.
completed() { finished+=("$service: $*"); }
report() { completed "$@" && printf '%s: %s\n' "$service" "$*"; }

# every_page PATH ROW [LABEL] [QUERY]: prints the list at PATH, one row per line. ROW is the row of an item, in jq. QUERY begins with &.
every_page() {
    local cursor=''
    while :; do
        call GET "$1?limit=100${4:-}${cursor:+&cursor=$cursor}" '' "${3:-}"
        jq -r --arg service "$service" ".items[] | $2 | @tsv" <<<"$body"
        cursor=$(field cursor)
        [ -n "$cursor" ] || break
    done
}
