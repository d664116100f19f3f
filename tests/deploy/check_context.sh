#!/usr/bin/env bash
# What .containerignore lets into the images' build is enough: from those files alone the build is configured as the Containerfile
# says, and every source of every service is there. Nothing is compiled.
set -euo pipefail
cd "${1:?the checkout}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -qx '\*' .containerignore || { echo ".containerignore does not begin by leaving everything out" && exit 1; }
cmp -s .containerignore .dockerignore || { echo ".dockerignore says something else" && exit 1; }
sed -n 's/^!//p' .containerignore | xargs cp -a --parents -t "$work"

configure=$(grep -oE 'cmake --preset [^&\\]*' deploy/Containerfile | head -n 1)
cd "$work"
$configure >configure.log 2>&1 || { cat configure.log && exit 1; }
for folder in services/*/; do
    service=$(basename "$folder")
    sources=$(ninja -C build/release -t inputs "$service" | grep -E "^$work/.*\.([ch]pp|yaml|gz)$") || { echo "ninja knows no $service" && exit 1; }
    grep -q "^$work/services/$service/main.cpp$" <<<"$sources" || { echo "$service is not made of its sources" && exit 1; }
    grep -q "^$work/proto/$service.openapi.yaml$" <<<"$sources" || { echo "$service has not its contract" && exit 1; }
    sources=$(grep -v "^$work/build/" <<<"$sources") # what is made there is made of these
    while read -r source; do [ -f "$source" ] || { echo "$service needs $source" && exit 1; }; done <<<"$sources"
done
! ninja -C build/release -t inputs no-such-service >/dev/null 2>&1 || { echo "ninja agrees to anything" && exit 1; }
