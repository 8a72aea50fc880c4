#!/bin/bash
# power.sh PROGRAMS KERNEL FILESYSTEM CUTS [FLAGS]: cut the power of a virtual machine that records
#
# It records to a disk with ext4 or xfs, one recording of five seconds after the other,
# while a program makes calls with numbers and prints each number and the time. At a random time
# qemu gets the command to quit: data that the machine has not written to its disk are lost. The
# next boot recovers what is there and shows it.
#
# The host may be so busy that the recorder comes too late: that fails only with
# TSNOOP_TRUST=full, unless the recorder has warned.
#
# Each file that is there then, recovered or complete, must be intact. A complete one must
# have all numbers from its first to its last, and one of a recording that was going on all
# that are older than the second of --sync. The last line has the figures.
#
# PROGRAMS is a directory with tsnoop and load for the machine. FLAGS are further ones for
# record: with "--sync 0" this fails.
set -euo pipefail
programs=$1 kernel=$2 filesystem=$3 cuts=$4 flags=${5:-}
PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
modules=
[ "$filesystem" != xfs ] || modules=$(echo "${XDG_CACHE_HOME:-$HOME/.cache}/tsnoop/kernels/$kernel/filesystems/"*.ko)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

truncate -s 512M "$work/disk"
"mkfs.$filesystem" -q "$work/disk"
mkfifo "$work/monitor.in" "$work/monitor.out"

# In the virtual machine: check what the boot before has left, then record.
cat >"$work/guest" <<'EOF'
for module in libcrc32c xfs; do [ ! -e /opt/$module.ko ] || insmod /opt/$module.ko; done
mkdir -p /mnt
mount -t "$1" /dev/nvme0n1 /mnt || exit
cd /mnt
for head in *.head; do
	[ -e "$head" ] || continue
	file=${head%.head}
	tsnoop record --recover "$file" 2>&1
	echo "recover $file $?"
done
for file in r*.dat; do
	[ -e "$file" ] || continue
	tsnoop replay --time boot "$file" >/tmp/shown 2>/tmp/said
	echo "replay $file $?"
	cat /tmp/said
	sed -nE "s/^ *([0-9.]+) .*llseek\(offset=([0-9]{7})\).*/has $file \2 \1/p" /tmp/shown
done
ls | sed 's/^/left /'
echo verified
[ "$2" = record ] || exit
rm -f r*; sync
(i=1000000; while :; do i=$((i + 1)); dd if=/sys/kernel/uevent_seqnum of=/dev/null bs=1 skip=$i count=0 2>/dev/null; read -r now _ </proc/uptime; echo "seek $i $now"; done) &
(while :; do load burst 1 5000; sleep 0.5; done) &
instance='/sys/kernel/tracing/instances/tsnoop_*' n=0
while :; do
	n=$((n + 1))
	echo "begin $n"
	(
		until grep -q 1 $instance/events/tsnoop_*/enable && grep -q 1 $instance/tracing_on; do sleep 0.1; done
		read -r now _ </proc/uptime
		echo "armed $n $now"
		while read -r now _ </proc/uptime && grep -q 1 $instance/tracing_on; do echo "on $n $now"; sleep 0.1; done
	) 2>/dev/null &
	tsnoop record -d 5 ${3:-} -o r$n.dat 'generic_file_llseek(offset) if offset > 0' 2>&1
	echo "saved $n"
	rm -f r$((n - 1)).dat
done
EOF

boot() {
	TSNOOP_VM_FILES="$programs/tsnoop $programs/load $modules" \
		TSNOOP_VM_QEMU="-drive file=$work/disk,format=raw,if=none,id=disk,cache=writeback -device nvme,drive=disk,serial=disk ${monitor:-}" \
		"$here/exec" "$kernel" /bin/sh -c "$(cat "$work/guest")" sh "$filesystem" "$1" "$flags"
}

# cut boots, and cuts the power at a random time after the recording has begun; in one of
# five cases, after the recorder has been started.
cut() {
	local job reader pause since
	: >"$work/log"
	monitor="-chardev pipe,id=monitor,path=$work/monitor -mon monitor" boot record >"$work/log" 2>"$work/errors" &
	job=$!
	cat "$work/monitor.out" >/dev/null &
	reader=$!
	since='^armed 1 '
	[ $((RANDOM % 5)) != 0 ] || since='^begin 1$'
	until grep -q "$since" "$work/log"; do
		kill -0 $job 2>/dev/null || { cat "$work/log" "$work/errors"; exit 1; }
		sleep 0.1
	done
	pause=$((10 + RANDOM % 80))
	sleep $((pause / 10)).$((pause % 10))
	echo quit >"$work/monitor.in"
	wait $job || :
	wait $reader || :
}

# check compares what a boot has printed before the cut with what the next one found.
check() {
	awk -v full="$([ "${TSNOOP_TRUST:-}" != full ] || echo 1)" '
		FNR == NR && $1 == "seek" && NF == 3 { seek[++seeks] = $2; at[$2] = $3; if ($3 > last) last = $3 }
		FNR == NR && $1 == "begin" { begun = "r" $2 ".dat"; late = 0 }
		FNR == NR && $1 == "armed" { armed["r" $2 ".dat"] = $3 }
		FNR == NR && $1 == "on" { on["r" $2 ".dat"] = $3 }
		FNR == NR && $1 == "saved" { saved["r" $2 ".dat"] = 1 }
		FNR == NR && /power cut may lose more/ { late = 1 }
		FNR == NR { next }
		$1 == "recover" { recovered[$2] = 1; if ($3 != 0) nothing[$2] = 1 }
		$1 == "replay" { shown[$2] = 1; delete nothing[$2]; if ($3 != 0) bad("replay of " $2 " ended with status " $3) }
		$1 == "has" { if (!($2 in first)) first[$2] = $3; has[$2, $3] = 1; if ($3 > most[$2]) most[$2] = $3 }
		$1 == "left" && $2 !~ /^(r[0-9]+\.dat|lost\+found)$/ && !nothing[substr($2, 1, index($2, ".dat") + 3)] { bad("left: " $2) }
		$1 == "verified" { verified = 1 }
		function bad(text) { print "power.sh: " text; failed = 1 }
		END {
			if (!verified) bad("the next boot did not come to its end")
			for (file in first) if (file in saved) for (i = first[file]; i < most[file]; i++) if (!((file, i) in has)) bad(file " lacks " i " of " first[file] " to " most[file])
			for (file in saved) if (!(file in shown) && file == begun) bad(file " was saved and is gone")
			if (begun in armed && !(begun in saved)) {
				for (n = 1; n <= seeks; n++) {
					i = seek[n]
					# It happened after the one before was printed, and before it was printed itself.
					if (at[i - 1] <= armed[begun] || at[i] > on[begun] || (begun, i) in has) continue
					if (last - at[i] > lost) { lost = last - at[i]; oldest = i }
				}
				if (lost > 1 && !late && full) bad(begun " lacks " oldest ", which happened " lost " s before the end at " last " and " (at[oldest] - armed[begun]) " s after the begin")
			}
			if (begun in saved) state = ", complete"
			else if (begun in on && last - on[begun] > 0.5) state = ", being saved"
			printf "cut: recovered %d, nothing yet %d, newest lost %.2f s old, %d of %d numbers%s%s\n", length(recovered) - length(nothing), length(nothing), lost, most[begun] ? most[begun] - first[begun] + 1 : 0, seeks, state, late ? ", warned" : ""
			exit failed
		}' "$1" "$2"
}

status=0
cut
for ((n = 1; n <= cuts; n++)); do
	mv "$work/log" "$work/before"
	if [ $n = "$cuts" ]; then boot check >"$work/log" 2>&1 || :; else cut; fi
	if ! check "$work/before" "$work/log" | tee -a "$work/cuts"; then
		status=1
		grep -v '^on ' "$work/before" | tail -n 20
		grep -v '^has ' "$work/log" | head -n 40 || :
	fi
done
awk '/^cut:/ { n++; recovered += $3; nothing += $6; if (/, warned$/) warned++; else if ($9 > lost) lost = $9 }
	END { printf "%d power cuts, %d recovered, %d before there was a page, %d after a warning, else oldest event lost %d ms old\n", n, recovered, nothing, warned, 1000 * lost }' "$work/cuts"
exit $status
