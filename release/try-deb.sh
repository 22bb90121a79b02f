#!/usr/bin/env bash
# Tries a package in a clean Debian: installs it, starts the service of its unit, opens
# pages through it, and removes it. It fails if a file is left.
#
#   try-deb.sh PACKAGE.deb [FOLDER]
#
# It needs root. FOLDER has a clean Debian; by default mmdebstrap makes one.
set -euo pipefail
deb=$(realpath "$1")
clean=${2:-}
work=$(mktemp -d)
root=$work/root
trap 'for pid in ${pids:-}; do kill "$pid" 2>/dev/null || true; done; umount "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT

step() { printf '== %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache/debconf -o -path ./tmp -o -path ./var/cache/ldconfig \) -prune -o -print | sort); }

if [ -n "$clean" ]; then
	cp -a "$clean" "$root"
else
	step "make a clean Debian"
	mmdebstrap --variant=minbase bookworm "$root"
fi
mount -t proc proc "$root/proc"
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
[ -e "$root/dev/urandom" ] || mknod -m 666 "$root/dev/urandom" c 1 9
cp "$deb" "$root/tmp/locus.deb"
files >"$work/before"

step "install"
chroot "$root" dpkg --install /tmp/locus.deb
chroot "$root" dpkg --listfiles locus | sed 's/^/   /'
chroot "$root" locus version

step "start servers of gopher and ftp"
chroot --userspec=65534:65534 "$root" env HOME=/tmp locus demo --list --listen 127.0.0.1:0 >"$work/demo" 2>&1 &
pids=$!
for _ in $(seq 100); do grep -q '^  ftp://' "$work/demo" && break; sleep 0.1; done
ftp=$(grep -m1 -o '^  ftp://[^ ]*' "$work/demo" | tr -d ' ')
gopher=$(grep -m1 -o '^  gopher://[^ ]*' "$work/demo" | tr -d ' ')

step "start the service: ExecStart, with a socket as systemd passes it"
command=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/locus.service")
command=${command//\$LOCUS_OPTIONS/--policy=any} # "public" opens nothing of this machine
printf '   %s\n' "$command"
chroot --userspec=65534:65534 "$root" perl -MSocket -MFcntl -e '
	socket(my $s, AF_INET, SOCK_STREAM, 0) or die $!;
	setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
	bind($s, sockaddr_in(0, inet_aton("127.0.0.1"))) and listen($s, 128) or die $!;
	my ($port) = sockaddr_in(getsockname($s));
	open(my $f, ">", "/tmp/port") or die $!; print $f $port; close $f;
	my $old = fileno($s);
	if ($old != 3) { require POSIX; POSIX::dup2($old, 3) or die $!; }
	else { fcntl($s, F_SETFD, 0); }
	$ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; $ENV{HOME} = "/nonexistent";
	$ENV{XDG_CACHE_HOME} = "/tmp/cache"; $ENV{XDG_STATE_HOME} = "/tmp/state";
	exec @ARGV or die $!;' $command >"$work/service" 2>&1 &
pids="$pids $!"
service=$!
for _ in $(seq 100); do grep -q 'the gateway is at' "$work/service" && break; sleep 0.1; done
port=$(cat "$root/tmp/port")

step "open pages through it"
get() { chroot --userspec=65534:65534 "$root" env HOME=/tmp locus get --no-proxy "http://127.0.0.1:$port/$1"; }
get "${gopher}0/etc/motd" | tee "$work/gopher"
get "${ftp}etc/motd" | tee "$work/ftp"
for page in gopher ftp; do
	grep -q 'The message of the day' "$work/$page" || { cat "$work/service" "$work/demo" >&2; fail "no page over $page"; }
done
kill "$service"
wait "$service" || fail "the service ended with $?: $(cat "$work/service")"

step "remove"
for pid in ${pids% *}; do kill "$pid"; wait "$pid" || true; done
pids=
chroot "$root" dpkg --purge locus
files >"$work/after"
diff "$work/before" "$work/after" || fail "files are left, or gone"
step "nothing is left"
