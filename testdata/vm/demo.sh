#!/bin/sh
# A look at tsnoop: what it prints while a machine pings itself and reads files.
# Run by "make demo", in a VM or, with HOST=1, on the host itself.
set -eu

die() { echo "demo: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "tracing needs root"
[ -r /sys/kernel/btf/vmlinux ] || die "this kernel has no type information (/sys/kernel/btf/vmlinux)"
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || tracing=/sys/kernel/debug/tracing
[ -e $tracing/events ] || die "no tracefs is mounted: mount -t tracefs nodev /sys/kernel/tracing"

show() { echo; echo "\$ $*"; }

show uname -sr
uname -sr

if [ -e $tracing/kprobe_events ]; then
	set -- 'ip_rcv(skb->len, dev->name, dev->perm_addr:mac)' \
		'do_sys_openat2(filename:ustring, return)' \
		'vfs_read(file->f_inode->i_sb->s_type->name, count) if count == 4321'
else # a kernel without kprobes has its own events
	set -- 'sched:sched_process_exec(filename)' 'sched:sched_process_exit(prio)' \
		'syscalls:sys_enter_read(fd, count) if count == 4321'
fi
show "tsnoop -d 8s '$1' '$2' '$3'"
# Live. Nothing that carries these lines to a screen reads 4321 bytes at a time:
# it would be traced doing so, and make more of them.
tsnoop -d 8s "$@" &
tsnoop=$!

# Four rounds over its 8 s: on a slow host, where it does not begin at once, the
# later ones show. dd reads by read(2); busybox cat by sendfile, which is not
# vfs_read.
for _ in 1 2 3 4; do
	sleep 2
	ping -c 1 127.0.0.1 >/dev/null 2>&1 || :
	dd if=/etc/passwd of=/dev/null bs=4321 count=1 2>/dev/null
	cat /no/such/file 2>/dev/null || :
done

status=0
wait $tsnoop || status=$?
echo
echo "tsnoop ran for 8 s and ended with exit status $status"
exit $status
