#!/bin/sh
# run.sh [N [REGEXP]]: every fuzz target with N inputs (5000000), made of its seeds and
# of what is in its testdata/fuzz, and a table of how many there were. It takes hours.
set -eu
cd "$(dirname "$0")/../.."
n=${1:-5000000} only=${2:-.}
log=$(mktemp) status=0
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM HUP
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' | grep -E "$only" || :); do
		seeds=$(go test -v -run "^$target\$" "$package" | grep -c "^=== RUN   $target/" || :)
		if TSNOOP_MUTANTS=$((n / (seeds > 0 ? seeds : 1) + 1)) GOMAXPROCS=1 \
			go test -v -run "^$target\$" -timeout 24h "$package" >"$log" 2>&1; then
			printf '%-24s %-32s %10s\n' "$target" "inputs, ${package#*/*/*/}" "$(sed -n 's/.*trust: .* executions //p' "$log")"
		else
			status=1
			tail -n 40 "$log"
			echo "FAIL  $package $target"
		fi
	done
done
exit $status
