#!/usr/bin/env bash
# The headers of Debian's packages are visible everywhere; what keeps layers apart is this.
set -uo pipefail
failed=0

# As grep, but finding nothing is no failure; not being able to look is (a folder that is gone, a wrong pattern).
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

forbid "Beast belongs to libs/http" '#include <boost/beast' libs services -- '^libs/(http/[a-z_]+\.(cpp|hpp)|third/)'
forbid "Asio as a whole is not included: name the header" '#include <boost/asio.hpp>' libs services
forbid "libpqxx and libpq are for libs/pg" '#include <(pqxx/|libpq-fe)' libs services \
    -- '^libs/(pg/|jobs/failure\.cpp|service/run\.cpp|testing/)'
forbid "SQL belongs to storage and the libraries that own tables" '"(SELECT|INSERT|UPDATE|DELETE) ' services -- '^services/[a-z-]+/storage/'
forbid "hiredis belongs to libs/redis" '#include <hiredis' libs services -- '^libs/(redis|testing)/'
forbid "libcurl belongs to libs/http, and to mail" '#include (<curl/|"http/curl_handles)' libs services \
    -- '^(libs/(http|testing)/|services/notify/providers/smtp\.cpp)'
forbid "nghttp2 belongs to libs/http" '#include <nghttp2' libs services -- '^libs/http/'
forbid "zlib and yaml-cpp belong to libs/docs" '#include <(zlib|yaml-cpp/)' libs services -- '^libs/docs/'
forbid "mail and DNS libraries belong to notify's providers, and c-ares to outbound requests" '#include <(gmime|opendkim|ares)\b' libs services \
    -- '^(services/notify/providers/|libs/http/name_resolver\.[ch]pp)'
forbid "the environment is read by the configuration" '\bgetenv\(' libs services -- '^libs/(core/config\.cpp|testing/)'
forbid "domain/ knows no I/O" '#include "(pg|http|redis|jobs|service|storage|api|providers|workers)/' services/*/domain
forbid "storage/ and providers/ do not know who calls them" '#include "(api|workers)/' services/*/storage services/*/providers
forbid "requests leave delivery to the workers" '#include "workers/' services/*/api
forbid "services do not know each other" '#include "services/' services
forbid "tests stay out of what is deployed" '#include "testing/' libs services -- '^libs/testing/'

# A library uses only those before it in libs/CMakeLists.txt.
before=
order=$(sed -n 's/^foreach(lib \(.*\))$/\1/p' libs/CMakeLists.txt)
if [ -z "$order" ]; then
    echo "libs/CMakeLists.txt does not say in which order libraries come"
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
            echo "$file uses $used, which comes after $lib"
            failed=1
        fi
    done <<< "$uses"
    before="$before $lib"
done
exit $failed
