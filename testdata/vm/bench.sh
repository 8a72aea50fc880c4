#!/bin/sh
# bench.sh KERNEL: what tsnoop's events cost, beside ksnoop's, in a VM. Under
# emulation only the proportions mean something.
set -eu
cd "$(dirname "$0")/../.."
vm=$PWD/testdata/vm

"$vm/setup.sh" "$1"
"$vm/setup.sh" tools || echo "bench: without ksnoop" >&2
TSNOOP_VM_FILES=$(PATH=$PATH:/usr/sbin command -v ksnoop || :)
export TSNOOP_VM_FILES

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
CGO_ENABLED=0 go test -tags vm -c -o "$work/bench.test" ./cmd/tsnoop
cd cmd/tsnoop
"$vm/exec" "$1" "$work/bench.test" -test.run '^TestBench' -test.v
