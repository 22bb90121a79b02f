#!/usr/bin/env bash
# Runs tests of locus, built for Windows, in Wine. On Debian 12 it needs the packages wine
# and gcc-mingw-w64-x86-64.
#
#   test.sh [PACKAGE…]
#
# By default these are the packages that touch files, paths, locks and terminals. What
# cannot pass in Wine is in faults.txt, with the reason. A test that needs a server which
# is not unpacked here is skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=("$@")
[ $# -gt 0 ] || packages=(./internal/errno ./internal/filelock ./desktop ./retry ./netrc ./walk ./archive ./proto/file ./transfer
	./cmd/locus/internal/handlers ./cmd/locus/internal/open ./cmd/locus/internal/upload)

for program in wine x86_64-w64-mingw32-gcc; do
	command -v "$program" >/dev/null || { printf 'there is no %s: apt-get install wine gcc-mingw-w64-x86-64\n' "$program" >&2; exit 1; }
done
work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEDEBUG=-all
end() {
	WINEPREFIX=$work/prefix wineserver -k 2>/dev/null || /usr/lib/wine/wineserver -k 2>/dev/null || true
	rm -rf "$work"
}
trap end EXIT
wine wineboot --init >/dev/null 2>&1
x86_64-w64-mingw32-gcc -shared -O2 -s -Wall -Wextra -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
	internal/wine/bcryptprimitives.c -ladvapi32

vectors=${LOCUS_VECTORS:-$PWD/../shared/vectors}
printf '#!/bin/sh\nexec wine "$@"\n' >"$work/run"
chmod +x "$work/run"
faults=$(sed -n 's/^\(Test[^ ]*\) .*/^\1$/p' internal/wine/faults.txt | sed 's,/,$/^,g' | paste -sd '|')
GOOS=windows GOARCH=amd64 CGO_ENABLED=0 LOCUS_VECTORS=$vectors \
	go test -short -count=1 -p 2 -timeout 10m -skip "$faults" -exec "$work/run" "${packages[@]}"
