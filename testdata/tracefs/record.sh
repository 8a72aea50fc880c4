#!/bin/sh
# Records what a kernel's tracefs looks like while a session of tsnoop's runs,
# in a virtual machine. See README.md.
set -e
t=/sys/kernel/tracing
out=/out
insmod /lib/modules/tsnoop/dummy.ko
keep() { for f; do mkdir -p $out/$(dirname $f); cat $f > $out/$f; done; }

cd $t
f=do_filp_open
grep -q " $f\$" /proc/kallsyms || f=do_file_open # 7.3
i=instances/tsnoop_1
g=$i/events/tsnoop_1
mkdir $i
echo mono > $i/trace_clock
echo 64 > $i/buffer_size_kb
char=
grep -q ' char, string' README && char='c=+0(+0($arg2)):char'
echo "p:tsnoop_1/e0_k3x9 $f fd=\$arg1:s32 file=\$arg2:x64 bits=\$arg1:b4@2/32 b=+0(+0(\$arg2)):x8[4] ip=+0(\$stack):symbol $char s1_k3x9=+0(+0(\$arg2)):string bad_k3x9=+0(\$arg1):string s2_k3x9=+0(+0(\$arg2)):string" >> kprobe_events
echo "p:tsnoop_1/a0_k3x9 $f v_k3x9=+0(\$arg2):string[2]" >> kprobe_events
echo "r:tsnoop_1/r0_k3x9 $f ret=\$retval:x64" >> kprobe_events
echo "p:other/theirs vfs_read" >> kprobe_events

# Refusals: of probes, and of filters.
for bad in "p:tsnoop_1/x no_such_function" "p:tsnoop_1/x $f a=\$arg1:u65" "p:tsnoop_1/x $f a=%nosuch" "p:tsnoop_1/x $f a=+0(\$arg1:string"; do
	echo "$bad" >> kprobe_events 2>/dev/null || :
done
for bad in 'nosuch == 1' '(fd == 1' 'fd == "a'; do
	echo -n "$bad" > $g/e0_k3x9/filter 2>/dev/null || :
done
cp $g/e0_k3x9/filter $out/refused_filter
echo 0 > $g/e0_k3x9/filter
echo 's1_k3x9 ~ "/tmp/*"' > $g/e0_k3x9/filter
echo 'ret == 0xfffffffffffffffe' > $g/r0_k3x9/filter

# drain: what is in the buffer. cat would splice, and wait for more on 5.10.
drain() { dd if=$i/trace_pipe bs=64k 2>/dev/null; }

# look ENABLE NAME...: has the kernel look for files that do not exist, traced.
echo 1 > $i/options/event-fork
look() (
	exec 2>/dev/null
	echo 1 > $i/tracing_on
	sh -c 'echo $$ > $0/set_event_pid; echo 1 > $1; shift; for n; do cat "$n"; done' $i "$@" || :
	echo 0 > $i/tracing_on
	echo 0 > $g/enable
)

# Names that are hard to read.
look $g/enable /tmp/plain '/tmp/a
b"c' "$(printf '/tmp/\001\377\033')" '/tmp/" s2_k3x8="x"'
keep $i/per_cpu/cpu*/stats kprobe_profile
drain > $out/trace_pipe

# Stacks.
echo 1 > $i/options/stacktrace
look $g/enable /tmp/plain
drain > $out/trace_pipe_stack
echo 0 > $i/options/stacktrace

# More events than the buffer holds.
echo 8 > $i/buffer_size_kb
look $g/r0_k3x9/enable $(seq 1000 | sed 's,^,/tmp/,')
drain > $out/lost
n=$(grep -n -m 1 LOST $out/lost | cut -d : -f 1)
sed -n "$((n > 9 ? n - 9 : 1)),$((n + 10))p" $out/lost > $out/trace_pipe_lost
rm $out/lost

keep README error_log kprobe_events trace_clock $i/trace_options events/header_page
[ ! -e $i/buffer_subbuf_size_kb ] || keep $i/buffer_subbuf_size_kb
for e in e0 a0 r0; do keep $g/${e}_k3x9/format; done
for e in set_event_notrace_pid buffer_percent buffer_subbuf_size_kb uprobe_events dynamic_events options/event-fork available_filter_functions available_filter_functions_addrs; do
	[ ! -e $e ] || { mkdir -p $out/$(dirname $e); : > $out/$e; }
done
uname -r > $out/release
cat /proc/self/mounts > $out/mounts
grep -E ' (_text|_stext|_etext|_end|vfs_read|vfs_open|__pfx_vfs_open|vfs_open\..*|do_filp_open|do_file_open|schedule|put_p.*\.(isra|constprop|part|cold).*|init_once|dummy_(xmit|setup)|fixed_percpu_data)(	.*)?$' /proc/kallsyms > $out/kallsyms
