#!/usr/bin/env bash
# Builds the container image with buildah, and starts its program as its user, with only the
# files of the image. It needs root, and the files that "make release" writes.
#
#   try-image.sh
set -euo pipefail
cd "$(dirname "$0")/.."
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
work=$(mktemp -d)
trap '[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

buildah build --quiet --format docker --build-arg ARCH=amd64 --tag locus-try .
buildah push --quiet locus-try "docker-archive:$work/image.tar:locus:try"
buildah rmi locus-try >/dev/null
mkdir "$work/image" "$work/root"
tar -xf "$work/image.tar" -C "$work/image"
size=$(stat -c %s "$work/image.tar")
printf 'the image has %s bytes\n' "$size"
[ "$size" -lt 25000000 ] || fail "the image has more than 25 MB"
for layer in "$work"/image/*.tar; do tar -xf "$layer" -C "$work/root"; done
grep -q '"User":"65532:65532"' "$work"/image/*.json || fail "the image runs as root"
grep -q '"Healthcheck":{"Test":\["CMD","/usr/bin/locus"' "$work"/image/*.json || fail "the image has no health check"

inside=(env XDG_CACHE_HOME=/cache chroot --userspec=65532:65532 "$work/root" /usr/bin/locus)
within() { "${inside[@]}" "$@"; }
# This does not use the function, because pid would be the pid of a shell, which does not
# pass signals on.
"${inside[@]}" serve --listen 127.0.0.1:0 --policy public --admin 9738 >"$work/log" 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q 'metrics are at' "$work/log" && break; sleep 0.1; done
at=$(sed -n 's/^locus: the gateway is at //p' "$work/log")
[ "$(within get --quiet http://127.0.0.1:9738/healthz)" = ok ] || fail "the health check: $(cat "$work/log")"
within get --no-proxy "$at" | grep -q '<html' || fail "no front page: $(cat "$work/log")"
if within get --no-proxy "${at}gopher://127.0.0.1:70/" 2>"$work/refused"; then fail "it opens its own machine"; fi
grep -q 403 "$work/refused" || fail "$(cat "$work/refused")"
kill "$pid"
wait "$pid" || fail "it ended with $?: $(cat "$work/log")"
pid=
printf 'the image serves, and refuses its own machine\n'
