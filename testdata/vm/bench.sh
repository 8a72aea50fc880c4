#!/bin/sh
# bench.sh KERNEL [RUN]: what tsnoop's events cost, and how many it keeps up with,
# beside ksnoop, bpftrace and strace, in a VM. Only the proportions mean something: in this
# VM each instruction takes a nanosecond, so that what else the host does changes
# nothing; TSNOOP_VM_QEMU= in the environment switches that off. RUN is a regular
# expression of tests, ^TestBench unless given.
set -eu
cd "$(dirname "$0")/../.."
vm=$PWD/testdata/vm

"$vm/setup.sh" "$1"
for tool in tools bpftrace strace plot; do "$vm/setup.sh" $tool || echo "bench: without $tool" >&2; done
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
TSNOOP_VM_FILES="$work/tsnoop $work/load"
for tool in ksnoop bpftrace strace opensnoop.bt execsnoop.bt killsnoop.bt syncsnoop.bt capable.bt tcpconnect.bt tcpaccept.bt tcplife.bt \
	statsnoop.bt oomkill.bt tcpretrans.bt tcpdrop.bt \
	tcplife tcpstates bindsnoop mountsnoop exitsnoop oomkill filelife; do
	TSNOOP_VM_FILES="$TSNOOP_VM_FILES $(command -v $tool || :)"
done
TSNOOP_VM_MEMORY=2048 # bpftrace brings 200 MB of libraries
# The older kernels were seen not to come up so: there only a quiet host gives
# good figures.
case $1 in
5.10 | 6.1) ;;
*) : "${TSNOOP_VM_QEMU=-icount shift=0,sleep=off}" ;;
esac
: "${TSNOOP_VM_TIMEOUT=3600}" # a thousand probes take minutes
export TSNOOP_VM_FILES TSNOOP_VM_MEMORY TSNOOP_VM_QEMU TSNOOP_VM_TIMEOUT

CGO_ENABLED=0 go build -trimpath -o "$work/" ./cmd/tsnoop ./testdata/load
CGO_ENABLED=0 go test -tags vm -c -o "$work/bench.test" ./testdata/vm/suite
cd testdata/vm/suite
status=0
{ "$vm/exec" "$1" "$work/bench.test" -test.run "${2:-^TestBench}" -test.v || echo $? >"$work/status"; } | tee "$work/said"
[ ! -e "$work/status" ] || status=$(cat "$work/status")

# gnuplot, if it is there, also draws what a hit costs, into bench-KERNEL.svg.
if grep -q '^8 values of pairs' "$work/said" && command -v gnuplot >/dev/null; then
	gnuplot -e "table='$work/said'; kernel='$1'" "$vm/hit.gp" >"$work/hit.svg" && mv "$work/hit.svg" "../../../bench-$1.svg"
	echo "bench: a graph of what a hit costs is in bench-$1.svg"
fi
exit "$status"
