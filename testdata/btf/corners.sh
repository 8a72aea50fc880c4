#!/bin/sh
# Makes corners.btf and corners.offsets of corners.c. Needs gcc and Debian's
# dwarves.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gcc -w -g -O0 -c -o "$tmp/corners.o" corners.c
pahole --btf_gen_floats --btf_encode_detached "$tmp/corners.btf" "$tmp/corners.o"
cp "$tmp/corners.btf" corners.btf
gcc -w -DOFFSETS -o "$tmp/offsets" corners.c
"$tmp/offsets" > corners.offsets
chmod 644 corners.btf corners.offsets
