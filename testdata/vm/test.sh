#!/bin/bash
# test.sh all                    what "make test" does: checks and tests on this
#                                host, and the VM tests on each kernel
# test.sh vm [KERNELS [REGEXP]]  VM tests only; kernels separated by spaces
#
# The VM tests are the functions TestVM*, and TestTrust* about what tsnoop promises, of the
# files with the build tag vm: those of testdata/vm/suite, about the program, and of some
# packages, about what is in them. Each package's are compiled once per architecture. The file
# kernels lists which kernels a test runs on. A kernel has one machine, with tsnoop and
# testdata/load in PATH; what cannot share that has one of its own. A recording from each
# kernel is replayed in all forms on this host.
#
# TSNOOP_VM_JOBS of all that run at a time, the longest first: one more than there are
# processors, since a machine is idle a sixth of its time. A job that succeeds is shown as a
# line, one that fails with all its output. In the end there is what each job took, the longest
# tests, and once more the last message of each failed test. Skipped tests are named; with CI
# set that is a failure, except for those that testdata/vm/skips allows. The last line counts
# test functions and subtests: "N passed, N failed".
#
# Where virtual machines cannot be set up (not root, not Debian, no network), the rest
# runs and what did not is printed; with CI set that is a failure.
set -eu
cd "$(dirname "$0")/../.."

what=${1:-all} kernels=${2:-5.10 6.12 arm64 newest 6.1} pattern=${3:-}
vm=$PWD/testdata/vm
suite=./testdata/vm/suite
parallel=${TSNOOP_VM_JOBS:-$(($(nproc) + 1))}
work=$(mktemp -d)
: >"$work/tally" >"$work/failures" >"$work/skips" >"$work/not_run" >"$work/spent" >"$work/longest"

# Job control gives each VM a process group of its own, to be ended as one.
set -m
cleanup() {
	for group in $(jobs -p); do kill -TERM -- "-$group" 2>/dev/null || :; done
	wait
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# tally PASSED FAILED adds to the figures. Jobs are processes: files have them.
tally() { echo "$1 $2" >>"$work/tally"; }

not_run() { echo "$*" >>"$work/not_run"; }

# spent WHAT START notes what a job took: this process and all that it has started.
spent() {
	times >"$work/times.$BASHPID"
	awk -v what="$1" -v took="$((SECONDS - $2))" '
		function seconds(t) { sub(/s$/, "", t); split(t, at, "m"); return at[1] * 60 + at[2] }
		NR == 2 { printf "%.0f\t%d\t%s\n", seconds($1) + seconds($2), took, what }
	' "$work/times.$BASHPID" >>"$work/spent"
}

# show prints its input when it is complete, so that what a job prints stays together.
show() {
	local text
	text=$(cat)
	[ ! "$text" ] || { flock 8; printf '%s\n' "$text"; } 8>"$work/lock"
}

# spawn COMMAND... runs a job when there is room for it.
spawn() {
	while [ "$(jobs -rp | wc -l)" -ge "$parallel" ]; do wait -n || :; done
	"$@" </dev/null &
}

# results STATUS LOG WHERE adds what LOG, the output of go test -v, reports. A run
# that failed without a failed test (it did not compile, say) counts as one.
results() {
	local ok bad
	ok=$(grep -cE '^ *--- PASS: ' "$2") || :
	bad=$(grep -cE '^ *--- FAIL: ' "$2") || :
	[ "$1" = 0 ] || [ "$bad" -gt 0 ] || bad=1
	[ "$1" != 0 ] || [ $((ok + bad)) -gt 0 ] || { bad=1; echo "FAIL  $3: no test ran" | show; }
	tally "$ok" "$bad"
	sed -nE "s/^ *--- (PASS|FAIL): ([^ ]+) \\(([0-9.]+)s\\)\$/\\3\\t\\2, $3/p" "$2" >>"$work/longest"
	failures "$3" <"$2" >>"$work/failures"
	# The last log of a test shows why.
	awk -v where="$3" '
		/^=== (RUN|CONT|NAME) / { test = $3 }
		/^ *[a-z_0-9]+\.go:[0-9]+: / { why[test] = $0; sub(/^ *[a-z_0-9]+\.go:[0-9]+: /, "", why[test]) }
		/^ *--- SKIP: / { print where, $3, why[$3] }
	' "$2" >>"$work/skips"
}

# failures WHERE prints, of the output of go test -v, the last lines of each test that failed.
failures() {
	awk -v where="$1" -v most=60 '
		/^=== [A-Z]+ / { test = $3; next }
		/^ *--- (PASS|SKIP): / { n[$3] = 0; next }
		/^ *--- FAIL: / {
			print "FAIL  " where "  " $3
			for (i = n[$3] > most ? n[$3] - most + 1 : 1; i <= n[$3]; i++) print line[$3, i]
			n[$3] = 0
			next
		}
		{ line[test, ++n[test]] = $0 }'
}

# check NAME COMMAND... runs a check, which counts only when it fails.
check() {
	local name=$1 said
	shift
	said=$(mktemp -p "$work")
	if "$@" >"$said" 2>&1; then
		echo "ok    $name"
	else
		tally 0 1
		echo "FAIL  $name"
		cat "$said"
	fi | show
}

# tested NAME COMMAND... is check for what counts as a test.
tested() {
	local name=$1 start=$SECONDS said
	shift
	said=$(mktemp -p "$work")
	if "$@" >"$said" 2>&1; then
		tally 1 0
		echo "ok    $name  $((SECONDS - start)) s"
	else
		tally 0 1
		echo "FAIL  $name"
		cat "$said"
	fi | show
	spent "$name" $start
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

# host tests on this host, with the race detector the packages that start goroutines: it
# needs cgo, and that a C compiler. The whole program, and what bounds its memory and time, is
# tested without it, as users have it. A package may take longer on a slow machine than the
# ten minutes that go test gives it. lint has vet look at all of it. With -trimpath a clone,
# and the go build of a test, find in go's cache what another one has compiled; with -count=1
# it does not find results there. The detector makes a thousand damaged recordings, hundreds at
# once, and random trees and columns eight times as slow, and a few of them in other tests show it
# as much.
host() {
	local status=0 race=-race start=$SECONDS raced random='Test(Damaged(Pages|Bytes)|Window|Memory|Nesting|ManyTasks|ManyColumns|Groups|Spill)'
	raced=$(grep -rlE --include='*.go' '\<go func|\.Go\(|^\s*go [a-zA-Z.]+\(' btf cmd fetchargs render tracefs | xargs dirname | sort -u | sed 's,^,./,')
	"$vm/setup.sh" race || { race=; not_run "race detector"; }
	"$vm/setup.sh" host || not_run "completion in zsh and fish, manual, rpm, lintian, jq"
	testdata/fleet/setup.sh collector || not_run "exports to the OpenTelemetry Collector"
	"$vm/setup.sh" duckdb || not_run "DuckDB"
	export GOFLAGS="${GOFLAGS:-} -trimpath"
	tests() { go test -vet=off -count=1 -timeout 40m -v "$@" >>"$work/host" 2>&1 || status=$?; }
	# shellcheck disable=SC2046,SC2086
	CGO_ENABLED=${race:+1} tests $race -skip "^$random\$" $raced
	# shellcheck disable=SC2046,SC2086
	CGO_ENABLED=0 tests -run "^$random\$" $(grep -rlE --include='*_test.go' "^func $random\(" $raced | xargs dirname | sort -u)
	# shellcheck disable=SC2046,SC2086
	CGO_ENABLED=0 tests $(go list ./... | grep -vxF "$(go list $raced)")
	brief "$work/host" | show
	results $status "$work/host" host
	spent "tests on this host" $start
}

lint() {
	local start=$SECONDS
	# As compile: what both need is compiled once.
	export CGO_ENABLED=0 GOFLAGS="${GOFLAGS:-} -trimpath"
	if make -s linter >"$work/linter" 2>&1; then
		check "make lint" make -s lint
	else
		show <"$work/linter"
		not_run "linter staticcheck"
		check gofmt formatted
		check "go vet" go vet -tags vm ./... ./testdata/load $suite
	fi
	spent lint $start
}

tools() {
	"$vm/setup.sh" tools || not_run "comparisons with pahole, ksnoop and trace-cmd"
}

arch() { if [ "$1" = arm64 ]; then echo arm64; else echo amd64; fi; }

packages() { grep -rl --include='*_test.go' '^//go:build vm' . | xargs -r dirname | sort -u; }

# binary ARCH PACKAGE names a package's tests, as go does.
binary() { echo "$work/$1/${2##*/}.test"; }

# compile ARCH makes what its machines have in PATH, and the tests, with the same flags:
# what they share is compiled once.
compile() {
	mkdir -p "$work/$1"
	check "compile $1 programs" env CGO_ENABLED=0 GOARCH="$1" \
		go build -trimpath -ldflags=-w -o "$work/$1/" ./cmd/tsnoop ./testdata/load
	# shellcheck disable=SC2046
	check "compile $1 tests" env CGO_ENABLED=0 GOARCH="$1" \
		go test -vet=off -tags vm -trimpath -ldflags=-w -c -o "$work/$1/" $(packages)
}

# files KERNEL names what every machine with that kernel has in PATH. The peers that
# tests compare with run where this host's programs do.
files() {
	echo "$work/$(arch "$1")/tsnoop" "$work/$(arch "$1")/load" "$PWD/README.md"
	[ "$(arch "$1")" != "$(go env GOHOSTARCH)" ] || PATH=$PATH:/usr/sbin command -v pahole ksnoop trace-cmd dash
	# For TestFtracetest.
	local ftrace=${XDG_CACHE_HOME:-$HOME/.cache}/tsnoop/ftrace/$1/ftrace
	[ "${TSNOOP_TRUST:-}" != full ] || [ ! -d "$ftrace" ] || echo "$ftrace"
}

# left_out KERNEL prints a pattern of the tests that the file kernels leaves to other kernels.
left_out() {
	printf '^$'
	awk -v kernel="$1" -v all="$([ "$what" != all ] || echo 1)" '/^Test/ {
		for (i = 2; i <= NF && !(all && $i == "+"); i++) if ($i == kernel || $i == "all") next
		sub("/", "$/^", $1)
		printf "|^%s$", $1
	}' "$vm/kernels"
}

# known checks that the file kernels names tests that exist, and their kernels.
known() {
	local name on kernel bad=0
	while read -r name on; do
		case $name in
		'' | \#*) continue ;;
		TestVM/*) [ -e "$suite/testdata/${name#*/}.txt" ] ;;
		*) grep -rqE --include='*_test.go' "^func $name\(t " . ;;
		esac || { echo "there is no $name"; bad=1; }
		[[ $on = [^+]* ]] || { echo "$name has no kernel"; bad=1; }
		for kernel in $on; do
			[[ " newest 5.10 6.1 arm64 6.12 + all " = *" $kernel "* ]] || { echo "$name: there is no kernel $kernel"; bad=1; }
		done
	done <"$vm/kernels"
	return $bad
}

# run KERNEL all|PATTERN runs that part of the tests in a machine.
run() {
	local kernel=$1 start=$SECONDS status=0 script package log
	log=$(mktemp -p "$work" "$1.XXXXXX")
	script='status=0; cd /src/testdata/vm/suite; tests() { "$@" -test.v -test.timeout ${TSNOOP_VM_TIMEOUT}s || status=1; }; '
	for package in $(packages); do
		script+="tests $(program "$package") "
		case $2 in
		all) script+="-test.run '^Test(VM|Trust)' -test.skip '$(left_out "$kernel")'; " ;;
		*) script+='-test.run "$1"; ' ;;
		esac
	done
	# Go interrupts with a signal what runs for 10 ms, as most does where a machine is
	# emulated. One kernel shows what that leads to.
	[ "$kernel" = 5.10 ] || script="export GODEBUG=asyncpreemptoff=1; $script"
	# Its runtime looks every 20 us whether one of its threads is stuck, and does not stop to
	# where system calls take long: with a sleep's default precision, a tenth of a machine.
	script="echo 8000000 >/proc/self/timerslack_ns; $script"
	# Twice what a busy machine needs.
	TSNOOP_VM_TIMEOUT=${TSNOOP_VM_TIMEOUT:-2600} TSNOOP_VM_OUT=$log.out \
		TSNOOP_VM_FILES="$(files "$kernel" | tr '\n' ' ') $(for package in $(packages); do binary "$(arch "$kernel")" "$package"; done | tr '\n' ' ')" \
		"$vm/exec" "$kernel" /bin/sh -c "$script exit \$status" sh "$2" >"$log" 2>&1 || status=$?
	if [ $status = 0 ]; then
		echo "ok    $kernel  $2  $(grep -cE '^ *--- PASS: ' "$log" || :) passed  $((SECONDS - start)) s"
	else
		echo "FAIL  $kernel  $2  $((SECONDS - start)) s:"
		cat "$log"
		echo "FAIL  $kernel  $2 (end of its output)"
	fi | show
	results $status "$log" "$kernel"
	spent "kernel $kernel, $2" $start
	[ ! "${TSNOOP_TRUST_LOGS:-}" ] || cat "$log" >>"$TSNOOP_TRUST_LOGS/$kernel"
	[ ! -e "$log.out/trace.dat" ] || here "$kernel" TestReplayed "$log.out/trace.dat"
	[ ! -e "$log.out/offsets" ] || here "$kernel" TestOffsetsHere "$log.out/offsets"
}

# program PACKAGE names its tests, in a machine.
program() { basename "$(binary any "$1")"; }

# here KERNEL TEST FILE runs on this host a test of what that kernel's has left.
here() {
	local log=$work/$2-$1 status=0
	(
		cd $suite
		PATH="$work/$(go env GOHOSTARCH):$PATH:/usr/sbin" TSNOOP_LEFT=$3 \
			exec "$(binary "$(go env GOHOSTARCH)" $suite)" -test.v -test.run "^$2\$"
	) >"$log" 2>&1 || status=$?
	if [ $status = 0 ]; then
		echo "ok    $1  $2 on this host  $(grep -cE '^ *--- PASS: ' "$log" || :) passed"
	else
		cat "$log"
		echo "FAIL  $1  $2 on this host"
	fi | show
	results $status "$log" "$1"
}

# machines sets up what it can and runs the tests there, the longest first.
ready=" "
machines() {
	local kernel binary
	for kernel in $kernels; do
		if "$vm/setup.sh" "$kernel"; then ready+="$kernel "; else not_run "tests on kernel $kernel"; fi
	done
	[ "$ready" != " " ] || return 0
	for binary in $({ go env GOHOSTARCH; for kernel in $ready; do arch "$kernel"; done; } | sort -u); do compile "$binary"; done
	if [ "$pattern" ]; then
		for kernel in $ready; do spawn run "$kernel" "$pattern"; done
		return
	fi
	check "testdata/vm/kernels" known
	for kernel in $ready; do spawn run "$kernel" all; done
}

# specials come last: they are short, and so is the time in which only one job is left.
specials() {
	local kernel
	[ ! "$pattern" ] || return 0
	for kernel in $ready; do special "$kernel"; done
}

# special KERNEL runs what needs a machine of its own: the lockdown, set at run
# time and on one kernel at boot, CPUs that come late, power cuts, and the demo as it runs on a
# machine that has kprobes.
special() {
	case $1 in
	newest)
		spawn tested "make demo HOST=1, kernel $1" demo_host "$1"
		spawn lockdown "$1" "at boot" lockdown=confidentiality
		# Late is on the cheapest kernel, as the file kernels would have it.
		spawn late "$1" "TestHotplug($([ "$what" = all ] || echo 'Late|')List)"
		;;
	5.10)
		# On the cheapest kernel: what is tested is the recorder, not ext4.
		spawn tested "power cuts, kernel $1" "$vm/power.sh" "$work/amd64" "$1" ext4 2
		spawn late "$1" TestHotplugLate
		;;
	*) return ;;
	esac
	spawn lockdown "$1" "at run time" ""
	spawn tested "--emit=boot, kernel $1" emit_boot "$1"
}

# late KERNEL TEST
late() { TSNOOP_VM_APPEND=maxcpus=1 TSNOOP_VM_QEMU="-smp 4" alone "CPUs come late" "$1" "$2"; }

# lockdown KERNEL WHEN APPEND
lockdown() { TSNOOP_VM_LOCKDOWN=1 TSNOOP_VM_APPEND=$3 alone "lockdown $2" "$1" TestLockdown; }

# alone NAME KERNEL TEST runs one test of the suite in a machine of its own.
alone() {
	local test
	test=$(binary amd64 $suite)
	TSNOOP_VM_FILES=$(files "$2" | tr '\n' ' ') tested "$1, kernel $2" passes "$vm/exec" "$2" "$test" -test.v -test.run "^$3\$"
}

# passes COMMAND... succeeds if a test passed, none having been skipped.
passes() {
	local log
	log=$("$@") || { echo "$log"; return 1; }
	[[ $log == *'--- PASS'* && $log != *'--- SKIP'* ]] || { echo "$log"; return 1; }
}

# demo_host KERNEL runs "make demo HOST=1" on a machine with kprobes.
demo_host() {
	local said=$work/demo
	TSNOOP_VM_FILES="$work/amd64/tsnoop Makefile $(command -v make)" "$vm/exec" "$1" \
		/bin/sh -c 'cd /src && make -f /opt/Makefile -o build demo HOST=1' >"$said" 2>&1 &&
		grep -q 'ip_rcv(skb->len=84, dev->name="lo", dev->perm_addr=00:00:00:00:00:00)' "$said" &&
		grep -q 'do_sys_openat2(filename="/no/such/file") = -2 (ENOENT) <' "$said" &&
		grep -q 'vfs_read(file->f_inode->i_sb->s_type->name="rootfs", count=4321)' "$said" &&
		grep -q 'ended with exit status 0$' "$said" || { cat "$said"; return 1; }
}

# emit_boot KERNEL boots with what --emit=boot prints and looks what became of it.
emit_boot() {
	local word said=$work/boot-$1
	word=$("$work/$(go env GOHOSTARCH)/tsnoop" --btf testdata/btf/linux-6.12-amd64.btf --arch amd64 --kernel 5.10 \
		--emit=boot 'vfs_read(file->f_inode->i_ino, count, return)') || return 1
	TSNOOP_VM_APPEND=$word "$vm/exec" "$1" /bin/sh -c 'cd /sys/kernel/tracing && dd if=/proc/version of=/dev/null bs=77 count=1;
		echo 0 >tracing_on; cat kprobe_events events/tsnoop/enable; grep "vfs_read.*count=77" trace' >"$said" 2>&1 &&
		grep -q '^p:tsnoop/vfs_read vfs_read file_f_inode_i_ino=+[0-9]*(+[0-9]*($arg1)):u64 ' "$said" &&
		grep -q '^r[0-9]*:tsnoop/vfs_read__return vfs_read return=$retval:s64' "$said" &&
		grep -q '^1$' "$said" && grep -q ' vfs_read: .* count=77' "$said" || { cat "$said"; return 1; }
}

# skips names what was skipped. In CI that fails, unless testdata/vm/skips has it:
# lines of WHERE, NAME, both globs, and a reason.
skips() {
	local where name why glob names reason allowed
	while read -r where name why; do
		allowed=
		while read -r glob names reason; do
			# shellcheck disable=SC2053 # they are globs
			[[ $glob == \#* || $where != $glob || $name != $names ]] || allowed=$reason
		done <"$vm/skips"
		echo "skipped: $where $name: ${allowed:-${why:-no reason is given}}"
		[ "$allowed" ] || [ ! "${CI:-}" ] || tally 0 1
	done < <(sort -u "$work/skips")
}

tools
case $what in
all)
	spawn host
	machines
	spawn lint
	specials
	;;
vm)
	machines
	specials
	;;
*) echo "usage: $0 all | vm [KERNELS [REGEXP]]" >&2; exit 2 ;;
esac
wait

echo
echo "CPU s	in s	for"
sort -rn "$work/spent" | awk -F'\t' '{ print; cpu += $1; took += $2 } END { printf "%d\t%d\tall\n", cpu, took }'
echo
echo "in s	the longest tests"
sort -rn "$work/longest" | head -n 15
echo
cat "$work/failures"
skips
while read -r part; do
	echo "!!!! NOT RUN: the $part; setup.sh printed the reason above"
	# Asked for by name, or in CI, missing is failing.
	if [ "${CI:-}" ] || [ "$what" = vm ]; then tally 0 1; fi
done <"$work/not_run"
awk '{ ok += $1; bad += $2 } END { printf "%d passed, %d failed\n", ok, bad; exit bad > 0 }' "$work/tally"
