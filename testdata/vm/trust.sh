#!/bin/bash
# trust.sh [KERNELS [REGEXP]]: the tests of what tsnoop promises, TestTrust*, at
# full size on each kernel, with the kernel's own tests of tracefs beside tsnoop, and
# a table of what they counted: a line for each test and figure, a column for each
# kernel; then, unless tests were chosen, five million bad inputs for each fuzz
# target. It takes hours.
#
# Before the table there is what became of recordings: a line for each kind of damage to files
# of this host ("fault | file | times tried | what was left | what was reported"), and 30
# power cuts on each kernel and file system.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kernels=${1:-5.10 6.1 6.12 newest arm64} pattern=${2:-^Test(Trust|Ftracetest)}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM HUP

has_xfs() {
	"$here/setup.sh" xfs && [ -e "${XDG_CACHE_HOME:-$HOME/.cache}/tsnoop/kernels/$1/filesystems/xfs.ko" ]
}

# recordings damages recordings, and cuts the power of machines that make them.
recordings() {
	local kernel filesystem failed=0
	(cd "$here/../.." && TSNOOP_TRUST=full go test -count=1 -timeout 3h -v -run '^Test(RecoverFaults|RecoverTorn|Damaged)' ./tracefs/record ./tracefs/replay) >"$logs/recordings" 2>&1 || failed=1
	if [ $failed = 0 ]; then grep -E ' \| ' "$logs/recordings" | sed 's/^[^:]*:[0-9]*: //'; else cat "$logs/recordings"; fi
	(cd "$here/../.." && CGO_ENABLED=0 go build -trimpath -o "$logs/" ./cmd/tsnoop ./testdata/load) || return
	for kernel in $kernels; do
		for filesystem in ext4 xfs; do
			[ "$kernel" != arm64 ] || continue
			echo "$kernel, $filesystem:"
			[ $filesystem != xfs ] || has_xfs "$kernel" || { echo "not run: there is no xfs.ko in the cache, or no mkfs.xfs"; continue; }
			TSNOOP_TRUST=full "$here/power.sh" "$logs" "$kernel" $filesystem 30 >"$logs/cuts" || { failed=1; cat "$logs/cuts"; }
			tail -n 1 "$logs/cuts"
		done
	done
	return $failed
}

status=0
for kernel in $kernels; do
	if [[ TestFtracetest =~ $pattern ]]; then "$here/setup.sh" "ftrace-$kernel" || status=1; fi
done
# Sixteen runs at once need more memory than a virtual machine has otherwise.
TSNOOP_VM_MEMORY=${TSNOOP_VM_MEMORY:-2048} TSNOOP_TRUST=full TSNOOP_TRUST_LOGS=$logs TSNOOP_VM_TIMEOUT=${TSNOOP_VM_TIMEOUT:-20000} \
	"$here/test.sh" vm "$kernels" "$pattern" || status=$?

# A test's figures are lines that end with "trust: NAME N"; its name is in the last
# line of go test above them.
echo
for kernel in $kernels; do
	[ ! -e "$logs/$kernel" ] || awk -v kernel="$kernel" '
		/^=== (RUN|CONT|NAME) / { test = $3 }
		$2 == "trust:" { n = $NF; sub(/^.*trust: /, ""); sub(/ [0-9]+$/, ""); print test "\t" $0 "\t" kernel "\t" n }' "$logs/$kernel"
done | awk -F'\t' -v kernels="$kernels" '
	!($1 FS $2 in seen) { seen[$1 FS $2] = 1; order[++rows] = $1 FS $2 }
	{ value[$1 FS $2, $3] = $4 }
	END {
		columns = split(kernels, kernel, " ")
		printf "%-24s %-32s", "test", "figure"
		for (i = 1; i <= columns; i++) printf " %10s", kernel[i]
		print ""
		for (r = 1; r <= rows; r++) {
			split(order[r], name, FS)
			printf "%-24s %-32s", name[1], name[2]
			for (i = 1; i <= columns; i++) printf " %10s", ((order[r], kernel[i]) in value) ? value[order[r], kernel[i]] : "-"
			print ""
		}
	}'
[ "${2:-}" ] || "$here/../badinput/run.sh" || status=1
[ "${2:-}" ] || recordings || status=1
exit $status
