#!/bin/sh
# run.sh [KERNEL...]: record ../KERNEL.txtar, of all kernels by default. The kernels and
# qemu come from testdata/vm/setup.sh.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel in ${*:-5.10 6.1 6.12 newest arm64}; do
	arch=amd64
	[ "$kernel" != arm64 ] || arch=arm64
	CGO_ENABLED=0 GOARCH=$arch go build -o "$tmp/record" .
	TSNOOP_VM_OUT=$tmp/out ../../../../testdata/vm/exec "$kernel" "$tmp/record"
	cp "$tmp/out/pages.txtar" "../$kernel.txtar"
done
