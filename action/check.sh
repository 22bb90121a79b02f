#!/usr/bin/env bash
# Checks links in a GitHub workflow, as action.yml says. Findings become annotations of the
# files and a table in the summary of the job. Without an installed locus, it fetches the
# release LOCUS_VERSION, and uses it only if its checksum is right.
set -euo pipefail

fail() {
	printf 'locus: %s\n' "$1" >&2
	exit 2
}

# fetch downloads a release, and prints the folder of the program.
fetch() {
	local version=${LOCUS_VERSION#v} folder os arch name
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+ ]] || fail "no release is named: set the input version, or use the action at a tag such as v0.1.0"
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "the releases for $(uname -s) cannot be fetched here: install locus in an earlier step" ;;
	esac
	case $(uname -m) in
	x86_64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no release for the processor $(uname -m): install locus in an earlier step" ;;
	esac
	folder=$(mktemp -d)
	name=locus_${version}_${os}_${arch}.tar.gz
	for file in "$name" "locus_${version}_checksums.txt"; do
		curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$folder/$file" \
			"$LOCUS_REPOSITORY/releases/download/v$version/$file" || fail "cannot fetch $file of v$version"
	done
	(cd "$folder" && grep -F "  $name" "locus_${version}_checksums.txt" | shasum --algorithm 256 --check --status -) ||
		fail "the checksum of $name is wrong"
	tar -xzf "$folder/$name" -C "$folder" locus
	printf '%s\n' "$folder"
}

if ! command -v locus >/dev/null; then
	folder=$(fetch)
	PATH=$folder:$PATH
fi

read -ra paths <<<"$LOCUS_PATHS"
read -ra flags <<<"$LOCUS_ARGS"
summary=$(mktemp)
status=0
locus check --markdown "$summary" ${flags[@]+"${flags[@]}"} -- "${paths[@]}" || status=$?
cat "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
rm -f "$summary"
exit "$status"
