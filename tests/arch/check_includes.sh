#!/usr/bin/env bash
# Checks the layers of libs/ and services/. The compiler cannot check the layers, because every file can
# include the headers of all installed packages.
set -uo pipefail
failed=0

# Runs grep, but also succeeds without a match. Fails when grep cannot search (a missing folder, a wrong
# pattern).
search() {
    local status=0
    grep "$@" || status=$?
    [ "$status" -le 1 ]
}

# forbid DESCRIPTION PATTERN WHERE... [-- ALLOWED PATHS PATTERN]
forbid() {
    local description=$1 pattern=$2 found allowed='^$'
    shift 2
    local where=()
    while [ $# -gt 0 ]; do
        if [ "$1" = -- ]; then allowed=$2 && break; fi
        where+=("$1")
        shift
    done
    if ! found=$(search -rnE --include='*.cpp' --include='*.hpp' "$pattern" "${where[@]}" | search -vE "$allowed"); then
        echo "$description: grep failed"
        failed=1
    fi
    if [ -n "$found" ]; then
        printf '%s:\n%s\n' "$description" "$found"
        failed=1
    fi
}

forbid "Beast belongs to libs/http_server" '#include <boost/beast' libs services -- '^libs/(http_server|third)/'
forbid "include single headers of Asio, not boost/asio.hpp" '#include <boost/asio.hpp>' libs services
forbid "libpqxx and libpq belong to libs/pg" '#include <(pqxx/|libpq-fe)' libs services \
    -- '^libs/(pg/|jobs/failure\.cpp|service/run\.cpp)'
forbid "SQL belongs to storage/ and to libraries that own tables" '"(SELECT|INSERT|UPDATE|DELETE) ' services -- '^services/[a-z-]+/storage/'
forbid "hiredis belongs to libs/redis" '#include <hiredis' libs services -- '^libs/redis/'
forbid "libcurl belongs to libs/http_client and to the SMTP provider" '#include (<curl/|"http_client/curl_handles)' libs services \
    -- '^(libs/http_client/|services/notify/providers/smtp\.cpp)'
forbid "nghttp2 belongs to libs/http2_client" '#include <nghttp2' libs services -- '^libs/http2_client/'
forbid "zlib and yaml-cpp belong to libs/docs" '#include <(zlib|yaml-cpp/)' libs services -- '^libs/docs/'
forbid "mail and DNS libraries belong to notify's providers, and c-ares also to libs/http_client/name_resolver" '#include <(gmime|opendkim|ares)\b' libs services \
    -- '^(services/notify/providers/|libs/http_client/name_resolver\.[ch]pp)'
forbid "only core/config reads the environment" '\bgetenv\(' libs services -- '^libs/core/config\.cpp'
forbid "domain/ must not include I/O" '#include "(pg|http[a-z0-9_]*|redis|jobs|gateway|service|storage|ingest|api|providers|workers)/' services/*/domain
forbid "storage/ and providers/ must not include their callers" '#include "(ingest|api|workers)/' services/*/storage services/*/providers
forbid "ingest/ must not include its callers" '#include "(api|workers)/' services/billing/ingest
forbid "api/ must not include workers/" '#include "workers/' services/*/api
forbid "services must not include each other" '#include "services/' services
forbid "deployed code must not include the tests' support" '#include "support/' libs services

# A library may include only the libraries before it in libs/CMakeLists.txt.
before=
order=$(sed -n 's/^foreach(lib \(.*\))$/\1/p' libs/CMakeLists.txt)
if [ -z "$order" ]; then
    echo "libs/CMakeLists.txt: cannot find the list of libraries (foreach(lib ...))"
    failed=1
fi
for lib in $order; do
    [ -d "libs/$lib" ] || continue
    if ! uses=$(search -rHoE --include='*.cpp' --include='*.hpp' '#include "[a-z0-9_]+/' "libs/$lib" |
        sed -E 's/#include "([a-z0-9_]+)\//\1/' | sort -u); then
        echo "libs/$lib: grep failed"
        failed=1
    fi
    while IFS=: read -r file used; do
        [ -n "$file" ] || continue
        if [[ " $before $lib third " != *" $used "* ]]; then
            echo "$file includes $used/, which is not before $lib in libs/CMakeLists.txt"
            failed=1
        fi
    done <<< "$uses"
    before="$before $lib"
done
exit $failed
