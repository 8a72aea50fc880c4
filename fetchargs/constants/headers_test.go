package constants

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// headers are those of the kernel's user API and of the C library, which do not go together.
// One that this host does not have is left out.
var headers = []string{`linux/types.h linux/fcntl.h linux/fs.h linux/mount.h linux/mman.h linux/sched.h linux/sched/types.h linux/futex.h netinet/in.h
	linux/in_route.h linux/if_ether.h linux/if_packet.h linux/if_addr.h linux/if_arp.h linux/rtnetlink.h linux/netlink.h
	linux/genetlink.h linux/filter.h linux/bpf.h linux/prctl.h asm/prctl.h linux/seccomp.h linux/fanotify.h linux/inotify.h linux/membarrier.h
	linux/memfd.h linux/openat2.h linux/close_range.h linux/random.h linux/reboot.h linux/keyctl.h linux/perf_event.h linux/kd.h linux/vt.h
	linux/loop.h linux/blkzoned.h linux/if_tun.h linux/ppp-ioctl.h linux/rtc.h linux/watchdog.h linux/dm-ioctl.h linux/sockios.h linux/tty.h
	linux/serial.h asm/termbits.h asm/ioctls.h linux/audit.h linux/capability.h linux/magic.h linux/nsfs.h linux/ptrace.h
	linux/udp.h linux/tcp.h linux/netfilter.h linux/xattr.h linux/module.h linux/kexec.h linux/pidfd.h
	linux/wait.h linux/userfaultfd.h linux/fiemap.h linux/fscrypt.h linux/hidraw.h linux/ptp_clock.h
	linux/vm_sockets.h linux/if_xdp.h linux/if_alg.h linux/can.h linux/taskstats.h linux/elf.h linux/fadvise.h linux/rseq.h
	linux/landlock.h linux/nbd.h linux/fsverity.h linux/lsm.h linux/mempolicy.h linux/io_uring.h linux/if.h`,
	`sys/socket.h sys/types.h sys/stat.h sys/epoll.h sys/eventfd.h sys/signalfd.h sys/timerfd.h sys/mount.h sys/wait.h sys/file.h sys/swap.h
	poll.h signal.h net/if.h net/if_arp.h net/ethernet.h netinet/in.h netinet/tcp.h sched.h time.h sys/klog.h sys/sem.h sys/shm.h sys/msg.h`}

// versions are macros whose values depend on the version of the headers, such as how many there
// are and which are known, or that are others to the C library.
var versions = regexp.MustCompile(`_(MAX|MASK|SUPPORTED|VERSION|VERSION_MINOR|VALID_FLAGS)$|^TIPC_WAIT_FOREVER$|^O_LARGEFILE$|^__O_TMPFILE$`)

// needsStruct are macros with the size of a struct that not all headers have.
var needsStruct = regexp.MustCompile(`ISO7816$|^TC[GS]ETS[WF]?2$`)

// TestHeaders compares the macros with what a C compiler makes of the headers of this
// host: about 4,200 of them.
func TestHeaders(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	table := For(runtime.GOARCH)
	if err != nil || table == nil {
		t.Skip("no gcc, or no macros of this architecture")
	}
	checked := 0
	for _, list := range headers {
		for name, want := range ofHeaders(t, gcc, table, list) {
			got, _ := table.Value(name)
			// The headers have some words of 32 bits as int, which are signed there.
			if checked++; got != want && !(want < 0 && got == int64(uint32(want))) && !versions.MatchString(name) {
				t.Errorf("%s is %#x, the headers have %#x", name, got, want)
			}
		}
	}
	t.Logf("%d macros", checked)
}

// ofHeaders returns the values that a C program has of the macros in these headers.
func ofHeaders(t *testing.T, gcc string, table *Table, headers string) map[string]int64 {
	var c bytes.Buffer
	fmt.Fprintln(&c, "#define _GNU_SOURCE\n#include <stdio.h>")
	for h := range strings.FieldsSeq(headers) {
		fmt.Fprintf(&c, "#if __has_include(<%s>)\n#include <%[1]s>\n#endif\n", h)
	}
	fmt.Fprintln(&c, "int main(void) {")
	for _, name := range table.Names() {
		if !needsStruct.MatchString(name) {
			fmt.Fprintf(&c, "#ifdef %s\nprintf(\"%[1]s %%lld\\n\", (long long)(%[1]s));\n#endif\n", name)
		}
	}
	fmt.Fprintln(&c, "}")
	file := filepath.Join(t.TempDir(), "macros")
	os.WriteFile(file+".c", c.Bytes(), 0o666)
	if out, err := exec.Command(gcc, "-w", "-o", file, file+".c").CombinedOutput(); err != nil {
		t.Skipf("the headers of this host do not go together: %.2000s", out)
	}
	out, err := exec.Command(file).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]int64{}
	for line := range strings.Lines(string(out)) {
		var name string
		var value int64
		fmt.Sscan(line, &name, &value)
		values[name] = value
	}
	return values
}
