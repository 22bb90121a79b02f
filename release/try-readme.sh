#!/usr/bin/env bash
# Follows README.md on a fresh machine: a clean Debian with Go, git and make, and a new
# clone of this commit. It starts the demo, and runs every command of README.md in order.
#
#   try-readme.sh [FOLDER]
#
# It needs root. FOLDER has a clean Debian with bash, ca-certificates, git and make; by
# default mmdebstrap makes one. It uses the Go of this machine without its caches.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
clean=${1:-}
work=$(mktemp -d)
root=$work/root
goroot=$(go env GOROOT)
trap 'umount "$root$goroot" "$root/proc" "$root/dev/pts" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

step() { printf '== %s\n' "$*"; }
# fresh runs a line of bash in the clone, on the fresh machine.
fresh() {
	chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH="$goroot/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
		GOPROXY="$(go env GOPROXY)" bash -euo pipefail -c "cd /root/locus; $1"
}
# offline does the same with only the loopback interface. Processes that still run at the end
# of the line are killed.
offline() {
	export -f fresh
	root=$root goroot=$goroot unshare --net --pid --fork --kill-child --mount-proc="$root/proc" bash -euo pipefail -c 'ip link set lo up; fresh "$0"' "$1"
}

if [ -n "$clean" ]; then
	cp -a "$clean" "$root"
else
	step "make a clean Debian"
	mmdebstrap --variant=minbase --include=ca-certificates,git,make bookworm "$root"
fi
mkdir -p "$root$goroot"
mount --bind -o ro "$goroot" "$root$goroot"
mount -t proc proc "$root/proc"
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
[ -e "$root/dev/urandom" ] || mknod -m 666 "$root/dev/urandom" c 1 9
mkdir -p "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -sf pts/ptmx "$root/dev/ptmx"
# It uses the network of this machine, with the certificates that this machine trusts.
cp /etc/resolv.conf "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
git clone --quiet "$top" "$root/root/locus"

step "fetch the modules, and the servers that stand for those of the Internet"
fresh 'go version; go mod download; make --no-print-directory peers'

step "go run ./cmd/locus demo"
offline '
	go build -o /tmp/get ./cmd/locus
	go run ./cmd/locus demo --list >/tmp/demo 2>&1 &
	for _ in $(seq 600); do grep -q "^  rlogin://" /tmp/demo && break; sleep 0.1; done
	cat /tmp/demo
	/tmp/get get --no-proxy http://127.0.0.1:1738/ | grep -q "<title>"
	/tmp/get get --no-proxy http://127.0.0.1:1738/gopher://127.0.0.1:17070/0/etc/motd | grep "message of the day"'

step "every command of README.md"
# This needs the network, because "go get" asks for checksums.
fresh 'CI=true go test -count=1 -timeout 30m -v -run "^TestReadme$" ./cmd/locus/internal/readmetest'
