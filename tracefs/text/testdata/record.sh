#!/bin/sh
# Records what trace says of the lines that tsnoop --emit prints, in a
# virtual machine. From tracefs/text, for each kernel:
#
#	TSNOOP_VM_FILES=tsnoop TSNOOP_VM_OUT=testdata/6.12 \
#		../../testdata/vm/exec 6.12 /bin/sh testdata/record.sh
set -e
out=/out
cd /sys/kernel/tracing
echo mono > trace_clock
tsnoop --emit 'vfs_read(file->f_path.dentry->d_name.name, count, return)' \
	'do_sys_openat2(dfd, filename:ustring, return)' 'ip_rcv(skb->len, dev->name)' > /tmp/lines
grep -v '^#' /tmp/lines | while read -r line; do echo "$line" >> kprobe_events; done
cp /tmp/lines $out/lines
uname -r > $out/release
echo 1 > options/event-fork

# look FILE...: has the kernel open and read files, and a datagram sent, traced.
look() (
	exec 2>/dev/null
	: > trace
	sh -c 'echo $$ > set_event_pid
		for e in vfs_read vfs_read__return do_sys_openat2 do_sys_openat2__return ip_rcv; do echo 1 > events/tsnoop/$e/enable; done
		for n; do dd if="$n" of=/dev/null bs=7 count=1; done
		ping -c 1 -s 56 127.0.0.1 >/dev/null' look "$@" || :
	echo 0 > events/tsnoop/enable
	: > set_event_pid
)

echo hello > /tmp/plain
echo hello > '/tmp/a
b"c'
# A name that looks like a line.
echo hello > "/tmp/x
             cat-42      [003] .....    12.345678: ip_rcv: (ip_rcv+0x0"
look /tmp/plain '/tmp/a
b"c' /tmp/x* /tmp/missing
cat trace > $out/trace

for o in record-tgid latency-format noirq-info stacktrace sym-addr; do
	[ -e options/${o#no} ] || continue
	echo $o > trace_options
	look /tmp/plain
	cat trace > $out/trace_$o
	case $o in no*) echo ${o#no};; *) echo no$o;; esac > trace_options
done
echo counter > trace_clock
look /tmp/plain
cat trace > $out/trace_counter
