#!/bin/sh
# Makes sample.btf of sample.c: raw BTF as pahole encodes it for the kernel.
# Needs gcc and Debian's dwarves.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gcc -g -O0 -c -o "$tmp/sample.o" sample.c
pahole --btf_gen_floats --btf_encode_detached "$tmp/sample.btf" "$tmp/sample.o"
mv "$tmp/sample.btf" sample.btf
# The offsets by another tool, for the tests.
pahole -C pkt,dev "$tmp/sample.o" > sample.pahole
