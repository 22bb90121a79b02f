#!/bin/sh
# The package does not start the gateway. To start it: systemctl enable --now locus.socket
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	# After an upgrade the new program takes over, and clients wait meanwhile.
	systemctl try-restart locus.service || true
fi
