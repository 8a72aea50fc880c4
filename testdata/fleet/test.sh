#!/bin/bash
# test.sh: what "make test-fleet" does: calls that two kernels have recorded are exported to real
# programs, which setup.sh of this directory and of vm get, and read back; and a browser opens a
# report.
set -eu
cd "$(dirname "$0")/../.."
fleet=testdata/fleet vm=testdata/vm
"$vm/setup.sh" 6.12 newest chromium duckdb chdb
"$fleet/setup.sh" collector jaeger prometheus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
CGO_ENABLED=0 go build -trimpath -ldflags=-w -o "$work/" ./cmd/tsnoop
for kernel in 6.12 newest; do
	mkdir "$work/$kernel"
	TSNOOP_VM_FILES=$work/tsnoop TSNOOP_VM_OUT=$work/$kernel "$vm/exec" $kernel /bin/sh -c "$(cat $fleet/record.sh)" >"$work/log" 2>&1 ||
		{ cat "$work/log"; exit 1; }
done
TSNOOP_FLEET=1 TSNOOP_FLEET_RECORDINGS="$work/*/*.dat" CGO_ENABLED=0 go test -count=1 -v -timeout 30m ./cmd/tsnoop-export ./cmd/tsnoop-export/report ./cmd/tsnoop-export/parquet
