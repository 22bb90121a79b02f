#!/usr/bin/env bash
# Compares the stable packages with the last tag, and fails if a change is incompatible.
set -euo pipefail
cd "$(dirname "$0")/.."
stable="url scheme access ."
last=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || {
	echo "there is no tag v… in this clone: nothing to compare with"
	exit 0
}
work=$(mktemp -d)
trap 'git worktree remove --force "$work/last" 2>/dev/null; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/last" "$last"
status=0
for package in $stable; do
	name=${package/#./locus}
	(cd "$work/last" && $APIDIFF -w "$work/$name.api" "$(go list "./$package")")
	changes=$($APIDIFF -incompatible "$work/$name.api" "$(go list "./$package")")
	[ -z "$changes" ] && continue
	printf '%s, since %s:\n%s\n' "$name" "$last" "$changes"
	status=1
done
exit "$status"
