#!/usr/bin/env bash
# Runs the tests of locus, built for Windows, in Wine. On Debian 12 it needs the packages wine
# and gcc-mingw-w64-x86-64.
#
#   test.sh [PACKAGE…]     such as ./transfer; by default every package
#
# faults.txt lists the tests that fail in Wine, with the reasons. A test that needs a server which
# is not unpacked here is skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
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
run() {
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 LOCUS_VECTORS=$vectors \
		go test -short -count=1 -p 2 -timeout 10m -exec "$work/run" "$@" 2>&1 | sed '/\[no test files\]$/d'
}

packages=("$@")
[ $# -gt 0 ] || mapfile -t packages < <(go list -f '{{.Dir}}' ./... | sed "s,^$PWD,.,")
whole=() status=0
for package in "${packages[@]}"; do
	! awk '{ print $1 }' internal/wine/faults.txt | grep -qxF "$package" || continue
	faults=$(awk -v here="$package" '$2 == here || $2 == here ":" { print "^" $1 "$" }' internal/wine/faults.txt | sed 's,/,$/^,g' | paste -sd '|')
	if [ -n "$faults" ]; then
		run -skip "$faults" "$package" || status=1
	else
		whole+=("$package")
	fi
done
[ ${#whole[@]} = 0 ] || run "${whole[@]}" || status=1
exit $status
