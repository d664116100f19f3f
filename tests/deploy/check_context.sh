#!/usr/bin/env bash
# Checks that .containerignore does not exclude files that the build of the images needs: with the remaining files, the build can be
# configured as in the Containerfile, and every source of every service exists. Compiles nothing.
set -euo pipefail
cd "${1:?the checkout}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -qx '\*' .containerignore || { echo ".containerignore must first exclude everything: it needs the line *" && exit 1; }
cmp -s .containerignore .dockerignore || { echo ".dockerignore differs from .containerignore. Copy one to the other." && exit 1; }
sed -n 's/^!//p' .containerignore | xargs cp -a --parents -t "$work"

configure=$(grep -oE 'cmake --preset [^&\\]*' deploy/Containerfile | head -n 1)
cd "$work"
$configure >configure.log 2>&1 || { cat configure.log && exit 1; }
for folder in services/*/; do
    service=$(basename "$folder")
    sources=$(ninja -C build/release -t inputs "$service" | grep -E "^$work/.*\.([ch]pp|yaml|gz|md|html|css|sql)$") || { echo "ninja has no target $service" && exit 1; }
    grep -q "^$work/services/$service/main.cpp$" <<<"$sources" || { echo "$service does not depend on services/$service/main.cpp" && exit 1; }
    grep -q "^$work/proto/$service.openapi.yaml$" <<<"$sources" || { echo "$service does not depend on proto/$service.openapi.yaml" && exit 1; }
    grep -q "^$work/docs/tutorials/$service.md$" <<<"$sources" || { echo "$service does not depend on docs/tutorials/$service.md" && exit 1; }
    sources=$(grep -v "^$work/build/" <<<"$sources") # generated files depend on these
    while read -r source; do [ -f "$source" ] || { echo "$service needs $source, which .containerignore excludes" && exit 1; }; done <<<"$sources"
done
! ninja -C build/release -t inputs no-such-service >/dev/null 2>&1 || { echo "ninja accepts a target that does not exist" && exit 1; }
