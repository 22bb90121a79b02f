#!/bin/sh
# Stops the gateway if locus is removed: "remove" of dpkg, "0" of rpm.
set -e
if { [ "$1" = remove ] || [ "$1" = 0 ]; } && [ -d /run/systemd/system ]; then
	systemctl disable --now locus.socket locus.service || true
fi
