#!/bin/bash
# test.sh all                    what "make test" does: checks and tests on this
#                                machine, then the VM tests on each kernel
# test.sh vm [KERNELS [REGEXP]]  VM tests only; kernels separated by spaces
#
# The VM tests are the functions TestVM* of the files with the build tag vm: those
# of testdata/vm/suite, about the program, and of some packages, about what is in
# them. Each package's are compiled once per architecture and run in a fresh
# machine per kernel, TSNOOP_VM_JOBS (2) at a time, with tsnoop and
# testdata/load in PATH. Of what succeeds a line is shown, of what
# fails all. The last line counts test functions and subtests: "N passed, N failed".
#
# Where a machine cannot be set up (not root, not Debian, no network), the rest
# runs and what did not is said; with CI set that is a failure.
set -eu
cd "$(dirname "$0")/../.."

what=${1:-all} kernels=${2:-arm64 newest 5.10 6.1 6.12} pattern=${3:-'^TestVM'}
vm=$PWD/testdata/vm
parallel=${TSNOOP_VM_JOBS:-2}
work=$(mktemp -d)
passed=0 failed=0
not_run=()

# Job control gives each VM a process group of its own, to be ended as one.
set -m
cleanup() {
	for group in $(jobs -p); do kill -TERM -- "-$group" 2>/dev/null || :; done
	wait
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

section() { printf '\n== %s\n' "$*"; }

# results STATUS LOG adds what LOG, the output of go test -v, reports. A run that
# failed without a failed test (it did not compile, say) counts as one.
results() {
	local ok bad
	ok=$(grep -cE '^ *--- PASS: ' "$2") || :
	bad=$(grep -cE '^ *--- FAIL: ' "$2") || :
	[ "$1" = 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + ok)) failed=$((failed + bad))
}

# check NAME COMMAND... runs a check, which counts only when it fails.
check() {
	local name=$1
	shift
	if "$@" >"$work/check" 2>&1; then
		echo "ok    $name"
	else
		failed=$((failed + 1))
		echo "FAIL  $name"
		cat "$work/check"
	fi
}

# tested is check for what counts as a test.
tested() {
	local before=$failed
	check "$@"
	passed=$((passed + 1 - (failed - before)))
}

formatted() {
	local files
	files=$(gofmt -l .)
	[ -z "$files" ] || { echo "$files"; return 1; }
}

# brief shows a line of each package that passes, and all of one that does not.
brief() {
	awk '
		/^ok  *\t|^\?  *\t|^\t.*coverage: 0/ { print; log_ = ""; next }
		{ log_ = log_ $0 "\n" }
		/^FAIL\t/ { printf "%s", log_; log_ = "" }
		END { if (log_ !~ /^(FAIL\n)?$/) printf "%s", log_ }' "$1"
}

host() {
	section "this machine"
	if make -s linter >"$work/linter" 2>&1; then
		check "make lint" make -s lint
	else
		cat "$work/linter"
		not_run+=("linter staticcheck")
		check gofmt formatted
		check "go vet" go vet ./... ./testdata/load
		check "go vet -tags vm" go vet -tags vm ./... ./testdata/vm/suite
	fi
	# The race detector needs cgo, and that a C compiler.
	local status=0 race=-race
	"$vm/setup.sh" race || { race= not_run+=("race detector"); }
	CGO_ENABLED=${race:+1} go test $race -v ./... >"$work/host" 2>&1 || status=$?
	brief "$work/host"
	results $status "$work/host"
}

tools() {
	"$vm/setup.sh" tools || not_run+=("comparisons with pahole, ksnoop and trace-cmd")
}

arch() { if [ "$1" = arm64 ]; then echo arm64; else echo amd64; fi; }

# file KERNEL|ARCH PACKAGE names the files of that pair, but for their ending.
file() { echo "$work/$1-${2//\//_}"; }

# programs KERNEL names what every machine with that kernel has in PATH.
programs() { echo "$work/$(arch "$1")"/*; }

# run KERNEL PACKAGE runs a package's tests and leaves a log and a status.
run() {
	local file status=0 start=$SECONDS
	file=$(file "$1" "$2")
	(
		cd "$2"
		# Twice what a busy machine needs.
		export TSNOOP_VM_TIMEOUT=${TSNOOP_VM_TIMEOUT:-2600}
		exec "$vm/exec" "$1" "$(file "$(arch "$1")" "$2").test" -test.v -test.timeout 43m -test.run "$pattern"
	) >"$file.log" 2>&1 </dev/null || status=$?
	echo $status >"$file.status"
	# One at a time, so that a log stays together.
	{
		flock 8
		if [ $status = 0 ]; then
			echo "ok    $1  $2  $(grep -cE '^ *--- PASS: ' "$file.log" || :) passed  $((SECONDS - start)) s"
		else
			echo "FAIL  $1  $2  $((SECONDS - start)) s:"
			cat "$file.log"
			echo "FAIL  $1  $2 (end of its output)"
		fi
	} 8>"$work/lock"
}

machines() {
	section "virtual machines: $kernels"
	local kernel package packages binary before ready=()
	packages=$(grep -rl --include='*_test.go' '^//go:build vm' . | xargs -r dirname | sort -u)

	for kernel in $kernels; do
		if "$vm/setup.sh" "$kernel"; then ready+=("$kernel"); else not_run+=("tests on kernel $kernel"); fi
	done
	[ ${#ready[@]} -gt 0 ] || return 0
	for binary in $(for kernel in "${ready[@]}"; do arch "$kernel"; done | sort -u); do
		mkdir -p "$work/$binary"
		check "compile $binary programs" env CGO_ENABLED=0 GOARCH="$binary" \
			go build -trimpath -o "$work/$binary/" ./cmd/tsnoop ./testdata/load
		for package in $packages; do
			check "compile $binary $package" env CGO_ENABLED=0 GOARCH="$binary" \
				go test -tags vm -c -o "$(file "$binary" "$package").test" "$package"
		done
	done

	for kernel in "${ready[@]}"; do
		# The peers that tests compare with run where this machine's programs do.
		export TSNOOP_VM_FILES
		TSNOOP_VM_FILES=$(programs "$kernel")
		[ "$(arch "$kernel")" != "$(go env GOHOSTARCH)" ] ||
			TSNOOP_VM_FILES="$TSNOOP_VM_FILES $(PATH=$PATH:/usr/sbin command -v pahole ksnoop trace-cmd | tr '\n' ' ')"
		for package in $packages; do
			[ -e "$(file "$(arch "$kernel")" "$package").test" ] || continue
			while [ "$(jobs -rp | wc -l)" -ge "$parallel" ]; do wait -n || :; done
			run "$kernel" "$package" &
		done
	done
	wait
	for kernel in "${ready[@]}"; do special "$kernel"; done

	for kernel in "${ready[@]}"; do
		before=$((passed + failed))
		for package in $packages; do
			file=$(file "$kernel" "$package")
			[ ! -e "$file.status" ] || results "$(cat "$file.status")" "$file.log"
		done
		[ $((passed + failed)) -gt $before ] || check "kernel $kernel" none
	done
}

# special KERNEL runs what needs a machine of its own: the lockdown, set at run
# time and at boot, a CPU that comes late, and the demo as it runs on a machine
# that has kprobes.
special() {
	[ "$pattern" = '^TestVM' ] || return 0
	case $1 in
	newest)
		tested "make demo HOST=1, kernel $1" demo_host "$1"
		;&
	5.10)
		TSNOOP_VM_LOCKDOWN=1 lockdown "$1" "at run time"
		TSNOOP_VM_LOCKDOWN=1 TSNOOP_VM_APPEND=lockdown=confidentiality lockdown "$1" "at boot"
		TSNOOP_VM_APPEND=maxcpus=1 alone "a CPU comes late" "$1" TestHotplugLate
		tested "--emit=boot, kernel $1" emit_boot "$1"
		;;
	esac
}

lockdown() { alone "lockdown $2" "$1" TestLockdown; }

# alone NAME KERNEL TEST runs one test of the suite in a machine of its own.
alone() {
	local test
	test=$(file amd64 ./testdata/vm/suite).test
	[ ! -e "$test" ] || TSNOOP_VM_FILES=$(programs "$2") tested "$1, kernel $2" passes "$vm/exec" "$2" "$test" -test.v -test.run "^$3\$"
}

# passes COMMAND... succeeds if a test passed, none having been skipped.
passes() {
	local log
	log=$("$@") || { echo "$log"; return 1; }
	[[ $log == *'--- PASS'* && $log != *'--- SKIP'* ]] || { echo "$log"; return 1; }
}

# demo_host KERNEL runs "make demo HOST=1" on a machine with kprobes.
demo_host() {
	TSNOOP_VM_FILES="$(programs "$1") Makefile $(command -v make)" "$vm/exec" "$1" \
		/bin/sh -c 'cd /src && make -f /opt/Makefile -o build demo HOST=1' >"$work/demo" 2>&1 &&
		grep -q 'ip_rcv(skb->len=84, dev->name="lo", dev->perm_addr=00:00:00:00:00:00)' "$work/demo" &&
		grep -q 'do_sys_openat2(filename="/no/such/file") = -2 (ENOENT) <' "$work/demo" &&
		grep -q 'vfs_read(file->f_inode->i_sb->s_type->name="rootfs", count=512)' "$work/demo" &&
		grep -q 'ended with exit status 0$' "$work/demo" || { cat "$work/demo"; return 1; }
}

# emit_boot KERNEL boots with what --emit=boot prints and looks what became of it.
emit_boot() {
	local word
	word=$(go run ./cmd/tsnoop --btf testdata/btf/linux-6.12-amd64.btf --arch amd64 --kernel 5.10 \
		--emit=boot 'vfs_read(file->f_inode->i_ino, count, return)') || return 1
	TSNOOP_VM_APPEND=$word "$vm/exec" "$1" /bin/sh -c 'cd /sys/kernel/tracing && dd if=/proc/version of=/dev/null bs=77 count=1;
		echo 0 >tracing_on; cat kprobe_events events/tsnoop/enable; grep "vfs_read.*count=77" trace' >"$work/boot" 2>&1 &&
		grep -q '^p:tsnoop/vfs_read vfs_read file_f_inode_i_ino=+[0-9]*(+[0-9]*($arg1)):u64 ' "$work/boot" &&
		grep -q '^r[0-9]*:tsnoop/vfs_read__return vfs_read return=$retval:s64' "$work/boot" &&
		grep -q '^1$' "$work/boot" && grep -q ' vfs_read: .* count=77' "$work/boot" || { cat "$work/boot"; return 1; }
}

none() { echo "no test ran"; return 1; }

case $what in
all) tools; host; machines ;;
vm) tools; machines ;;
*) echo "usage: $0 all | vm [KERNELS [REGEXP]]" >&2; exit 2 ;;
esac

echo
for part in "${not_run[@]}"; do
	echo "!!!! NOT RUN: the $part; setup.sh said above why"
done
# Asked for by name, or in CI, missing is failing.
if [ "${CI:-}" ] || [ "$what" = vm ]; then failed=$((failed + ${#not_run[@]})); fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
