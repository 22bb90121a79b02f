#!/bin/sh
# Removes the cache and the certificates together with the package ("purge" of dpkg, "0" of
# rpm).
set -e
if [ "$1" = purge ] || [ "$1" = 0 ]; then
	rm -rf /var/cache/locus /var/cache/private/locus /var/lib/locus /var/lib/private/locus
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
