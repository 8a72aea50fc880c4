#!/bin/sh
# Makes snoop-mod.btf and snoop-mod.pahole of snoop-mod.c: split BTF on top of
# ../../testdata/btf/sample.btf, and to be made again whenever that is. Needs gcc and
# Debian's dwarves.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gcc -g -O0 -c -o "$tmp/mod.o" snoop-mod.c
pahole --btf_base ../../testdata/btf/sample.btf --btf_encode_detached "$tmp/mod.btf" "$tmp/mod.o"
cat "$tmp/mod.btf" > snoop-mod.btf
# The offsets that pahole finds in the DWARF, for the tests.
pahole -C mod_frame "$tmp/mod.o" > snoop-mod.pahole
