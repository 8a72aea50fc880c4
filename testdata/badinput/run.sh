#!/bin/sh
# run.sh [N [REGEXP]]: every fuzz target with N inputs (5000000), made of its seeds and
# of what is in its testdata/fuzz, and a table of how many there were. TSNOOP_MUTANTS_SEED
# selects other inputs. It takes an hour or two.
set -eu
cd "$(dirname "$0")/../.."
n=${1:-5000000} only=${2:-.}
work=$(mktemp -d) status=0 targets=0 inputs=0 begun=$(date +%s)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# row TARGET PACKAGE INPUTS SECONDS: a line as in trust.sh's table.
row() {
	printf '%-24s %-32s %10s %7s\n' "$@"
}

# fuzz TARGET N: each of its seeds with N mutants.
fuzz() {
	(cd "$dir" && TSNOOP_MUTANTS=$2 "$work/test" -test.v -test.timeout 24h -test.run "^$1\$" 2>&1)
}

# Little of what an input takes is still in use after it, so rare collections suffice.
export GOMAXPROCS=1 GOGC=1000
row "fuzz target" package inputs seconds
for dir in $(go list -f '{{.Dir}}' ./...); do
	names=$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$dir"/*_test.go 2>/dev/null | grep -E "$only") || continue
	package=${dir#"$PWD/"}
	go test -c -o "$work/test" "$dir"
	for target in $names; do
		seeds=$(fuzz "$target" 0 | grep -c "^=== RUN   $target/" || :)
		start=$(date +%s)
		fuzz "$target" $((n / (seeds > 0 ? seeds : 1) + 1)) >"$work/log" || echo "exit status $?" >>"$work/log"
		count=$(sed -n 's/.*trust: .* executions //p' "$work/log")
		row "$target" "$package" "${count:-0}" $(($(date +%s) - start))
		if [ "${count:-0}" -lt "$n" ] || ! grep -q '^PASS$' "$work/log"; then
			status=1
			grep -Ev '^(=== RUN|    --- PASS) ' "$work/log" | head -n 60
			echo "FAIL  $package $target"
		fi
		targets=$((targets + 1)) inputs=$((inputs + ${count:-0}))
	done
done
row "$targets targets" "" $inputs $(($(date +%s) - begun))
exit $status
