//go:build vm

package suite

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A presetWant is a line that a preset has to show of the load.
type presetWant struct{ preset, line string }

// TestVMPresets traces all presets at once while what each is about happens.
func TestVMPresets(t *testing.T) {
	list, err := exec.Command("tsnoop", "list", "@").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-t", "none", "--max-rate", "0", "-b", "4M"}
	var presets []string
	for line := range strings.Lines(string(list)) {
		presets = append(presets, strings.Fields(line)[0])
	}
	tr := startTrace(t, append(args, presets...)...)
	wants := presetLoad(t, tr)
	tr.end()
	text, err := os.ReadFile(tr.out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	t.Logf("%d lines; tsnoop has said: %s", len(lines), tr.said())
	of := map[string]int{}
	for _, w := range wants {
		of[w.preset]++
		re := regexp.MustCompile(w.line)
		found := ""
		for _, line := range lines {
			if re.MatchString(line) {
				found = line
				break
			}
		}
		t.Logf("%-12s %-7s %s", w.preset, os.Getenv("TSNOOP_VM_KERNEL"), found)
		if found == "" {
			t.Errorf("%s: no line has %s", w.preset, w.line)
			name, _, _ := strings.Cut(strings.Trim(w.line, "^"), `\(`)
			name = name[strings.LastIndexAny(name, " >")+1:]
			for i, n := 0, 0; i < len(lines) && n < 20; i++ {
				if strings.Contains(lines[i], name+"(") {
					t.Log(lines[i])
					n++
				}
			}
		}
	}
	for _, p := range presets {
		if of[p] == 0 {
			t.Errorf("nothing is known of %s", p)
		}
	}
}

// presetLoad does what presets are about.
func presetLoad(t *testing.T, tr *traced) (wants []presetWant) {
	dir, err := os.MkdirTemp("", "presets") // not deep: paths show a few directories
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	want := func(preset, format string, args ...any) {
		wants = append(wants, presetWant{preset, fmt.Sprintf(format, args...)})
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	presetFiles(t, tr, dir, filepath.Join(dir, "file"), check, want)
	presetDisk(t, tr, check, want)
	presetTasks(check, want)
	presetNet(t, check, want)
	presetModules(tr, check, want)
	return wants
}

// presetFiles has files opened, written, looked at, mounted and removed.
func presetFiles(t *testing.T, tr *traced, dir, file string, check func(error), want func(preset, format string, args ...any)) {
	check(os.WriteFile(file, []byte("x"), 0o600))
	want("@opens", `do_sys_openat2\(filename="%s", how->flags=O_WRONLY\|O_CREAT\|O_TRUNC.*\) = [0-9]+ <`, file)
	_, err := os.Open("/no/such/preset")
	if err == nil {
		t.Fatal("/no/such/preset")
	}
	want("@opens", `do_sys_openat2\(filename="/no/such/preset", .*\) = -2 \(ENOENT\) <`)
	os.Stat(file)
	want("@stat", `vfs_statx\(filename.*="%s"\) = 0 <`, file)
	os.Stat("/no/such/stat")
	want("@stat", `vfs_statx\(filename.*="/no/such/stat"\) = -2 \(ENOENT\) <`)
	check(unix.Statfs(file, new(unix.Statfs_t)))
	want("@stat", `sys_statfs\(pathname="%s"\) = 0`, file)

	f, err := os.OpenFile(file, os.O_RDWR, 0)
	check(err)
	check(f.Sync())
	want("@fsync", `sys_fsync\(fd=%d\) = 0 <`, f.Fd())
	unix.Sync()
	want("@fsync", `sys_sync\(\) = 0`)
	size := slowRead(tr, f, check)
	want("@fslat", `vfs_read\(file="%s", count=%d\) = %d <[0-9.]+m?s>`, file, size, size)
	check(f.Close())

	mnt := filepath.Join(dir, "mnt")
	check(os.Mkdir(mnt, 0o700))
	check(unix.Mount("presets", mnt, "tmpfs", unix.MS_NOSUID, "size=1m"))
	want("@mounts", `sys_mount\(dev_name="presets", dir_name="%s", type="tmpfs", flags=MS_NOSUID\) = 0 <`, mnt)
	want("@cap", `cap_capable\(cap=CAP_SYS_ADMIN, uid=0\) = 0`)
	check(unix.Unmount(mnt, unix.MNT_DETACH))
	want("@mounts", `path_umount\(path=".*%s", flags=MNT_DETACH\) = 0 <`, mnt[4:])

	check(os.Rename(file, file+"2"))
	want("@unlink", `vfs_rename\(from=".*%s", to=".*%s2"\) = 0 <`, file[4:], file[4:])
	check(os.Remove(file + "2"))
	want("@unlink", `vfs_unlink\(dentry=".*%s2"\) = 0 <`, file[4:])
	check(os.Remove(mnt))
	want("@unlink", `_rmdir\(dentry=".*%s"\)`, mnt[4:])
}

// presetDisk writes to the disk by which files leave the machine in the end. Its interrupt when
// a request is over may hit tsnoop, which does not trace itself: more are made until one does
// not.
func presetDisk(t *testing.T, tr *traced, check func(error), want func(preset, format string, args ...any)) {
	const disk = "/dev/nvme0n1"
	f, err := os.OpenFile(disk, os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("%v: machines have it whose TSNOOP_VM_OUT is set", err)
	}
	_, err = f.Write(make([]byte, 64<<10))
	check(err)
	check(f.Sync())
	_, err = f.ReadAt(make([]byte, 1<<20), 8<<20)
	check(err)
	over := regexp.MustCompile(`blk_mq_complete_request_remote\(disk="nvme0n1", sector=.* op=0x[0-9a-f]*1,`)
	tr.await("the end of a request", func() bool {
		_, err := f.WriteAt(make([]byte, 4<<10), 0)
		check(err)
		check(f.Sync())
		text, err := os.ReadFile(tr.out)
		return err == nil && over.Match(text)
	})
	check(f.Close())
	if os.Getenv("TSNOOP_VM_KERNEL") != "newest" {
		want("@fsync", `vfs_fsync_range\(file="%s", datasync=0\) = 0 <`, disk)
	}
	want("@biosnoop", `submit_bio\(disk="nvme0n1", sector=[0-9]+, bytes=[0-9]+, op=0x[0-9a-f]*1\)`)
	want("@biosnoop", `blk_mq_complete_request_remote\(disk="nvme0n1", sector=[0-9]+, bytes=[1-9][0-9]*, op=0x[0-9a-f]*1, latency=[0-9.]+[um]?s\)`)
	want("@blocklat", `block:block_rq_complete\(dev=[0-9]+:0, sector=[0-9]+, nr_sector=[1-9][0-9]*, rwbs="W[A-Z]*", error=0, took=[0-9.]+[um]?s\)`)
	want("@biolat", `blk_mq_complete_request_remote\(disk="nvme0n1", bytes=[1-9][0-9]*, op=0x[0-9a-f]*, latency=[0-9.]+[um]?s\)`)
}

// slowRead makes reads of more and more bytes until @fslat shows one, and says of how many
// bytes that was.
func slowRead(tr *traced, f *os.File, check func(error)) int {
	memory, err := unix.Mmap(-1, 0, 64<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	check(err)
	check(f.Truncate(int64(len(memory))))
	shown, size := 0, 2<<20
	tr.await("a slow read", func() bool {
		size = min(2*size, len(memory))
		check(unix.Madvise(memory, unix.MADV_DONTNEED)) // each page has to be made again
		_, err := f.ReadAt(memory[:size], 0)
		check(err)
		text, err := os.ReadFile(tr.out)
		check(err)
		for n := 4 << 20; n <= size; n *= 2 {
			if bytes.Contains(text, fmt.Appendf(nil, `vfs_read(file="%s", count=%d) = %d <`, f.Name(), n, n)) {
				shown = n
			}
		}
		return shown > 0
	})
	check(unix.Munmap(memory))
	return shown
}

// presetTasks starts and ends programs.
func presetTasks(check func(error), want func(preset, format string, args ...any)) {
	own := os.Getpid()
	exec.Command("/bin/sh", "-c", "exit 3").Run()
	want("@exec", `begin_new_exec\(bprm->filename="/bin/sh", bprm->argc=3, ppid=%d\)`, own)
	want("@exits", `sh-[0-9]+ .*taskstats_exit\(status=3, signal=0, ppid=%d, age=[0-9.]+[um]?s\)`, own)
	syscall.ForkExec("/no/such/program", []string{"x"}, &syscall.ProcAttr{})
	want("@exec", `sys_execve\(filename="/no/such/program"\) = -2 \(ENOENT\)`)
	sleep := exec.Command("/bin/sleep", "1000")
	check(sleep.Start())
	check(sleep.Process.Signal(syscall.SIGTERM))
	sleep.Wait()
	want("@signals", `sys_(kill\(pid=%d|pidfd_send_signal\(pidfd=[0-9]+), sig=SIGTERM\) = 0`, sleep.Process.Pid)
	want("@exits", `-%d .*taskstats_exit\(status=0, signal=SIGTERM, ppid=%d, `, sleep.Process.Pid, own)

	want("@sched", `sched:sched_switch\(next_comm=".+", next_pid=[1-9][0-9]*, waited=[0-9.]+m?s\)`)

	// The OOM killer chooses who says that it wants to be. If that were said of a child that
	// has not got to its exec, it would also be said of this process.
	victim := exec.Command("/bin/sh", "-c", "echo 1000 >/proc/self/oom_score_adj; echo; exec sleep 1000")
	said, err := victim.StdoutPipe()
	check(err)
	check(victim.Start())
	said.Read(make([]byte, 1))
	check(os.WriteFile("/proc/sysrq-trigger", []byte("f"), 0))
	victim.Wait()
	want("@oom", `oom_kill_process\(comm="[a-z]+", pid=%d, oc->totalpages=[0-9]+, message="Out of memory`, victim.Process.Pid)
}

// presetNet makes connections, good ones and bad ones.
func presetNet(t *testing.T, check func(error), want func(preset, format string, args ...any)) {
	comm := regexp.QuoteMeta(strings.TrimSuffix(output(t, "/proc/self/comm"), "\n"))
	for _, at := range []struct{ ip, name string }{{"127.0.0.1", `127\.0\.0\.1`}, {"[::1]", "::1"}} {
		l, err := net.Listen("tcp", at.ip+":7771")
		check(err)
		c, err := net.Dial("tcp", at.ip+":7771")
		check(err)
		a, err := l.Accept()
		check(err)
		port := c.LocalAddr().(*net.TCPAddr).Port
		c.Write([]byte("hello"))
		b := make([]byte, 5)
		a.Read(b)
		c.Close()
		a.Read(b)
		a.Close()
		l.Close()
		want("@bind", `__inet6?_bind\(uaddr=.*%s.*7771, sk->sk_protocol=IPPROTO_TCP, sk->__sk_common.skc_bound_dev_if=0\) = 0`, at.name)
		want("@tcpconnect", `tcp_connect\(saddr=%s, sport=%d, daddr=%s, dport=7771\) = 0`, at.name, port, at.name)
		want("@tcpaccept", `inet_csk_accept\(\) = \{raddr=%s, rport=%d, laddr=%s, lport=7771\}`, at.name, port, at.name)
		want("@tcpstates", `tcp_set_state\(saddr=%s, sport=%d, daddr=%s, dport=7771, from=TCP_SYN_SENT, to=TCP_ESTABLISHED, after=.*\)`, at.name, port, at.name)
		want("@tcpstates", `inet_sk_state_store\(saddr=%s, sport=7771, daddr=.*, dport=0, from=TCP_CLOSE, to=TCP_LISTEN\)`, at.name)
		want("@tcpstates", `inet_sk_set_state\(saddr=%s, sport=7771, daddr=.*, from=TCP_LISTEN, to=TCP_SYN_RECV\)`, at.name)
		want("@tcpstates", `tcp_set_state\(saddr=%s, .*from=TCP_[A-Z_0-9]+, to=TCP_[A-Z_0-9]+, after=[0-9.]+[um]?s\)`, at.name)
		want("@tcplife", `tcp_set_state\(laddr=%s, lport=7771, raddr=%s, rport=%d, sent=[01], received=[56], lasted=.*, who="%s"-[0-9]+\)`, at.name, at.name, port, comm)
		want("@tcplife", `tcp_set_state\(laddr=%s, lport=[0-9]+, raddr=%s, .*, lasted=[0-9.]+[um]?s, who="%s"-[0-9]+\)`, at.name, at.name, comm)
		want("@tcplife", `tcp_set_state\(laddr=%s, lport=7771, raddr=.*, rport=0, sent=0, received=0, lasted=\?, who=\?\)`, at.name)
	}
	if c, err := net.Dial("tcp", "127.0.0.1:7772"); err == nil {
		c.Close()
		t.Fatal("somebody listens")
	}
	want("@tcpdrop", `(reason=SKB_DROP_REASON_NO_SOCKET|tcp_v4_rcv.*tcp_drop|tcp_v4_rcv.*kfree_skb).*skb->protocol=ETH_P_IP`)
}

// presetModules loads one, and sends to where nobody answers.
func presetModules(tr *traced, check func(error), want func(preset, format string, args ...any)) {
	check(exec.Command("/bin/sh", "-c", "insmod /lib/modules/tsnoop/dummy.ko && ip addr add 10.99.0.1/24 dev dummy0 && ip link set dummy0 up").Run())
	want("@modules", `do_init_module\(mod->name="dummy"\) = 0`)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	go new(net.Dialer).DialContext(ctx, "tcp", "10.99.0.9:7773")
	tr.await("something to be sent again", func() bool {
		text, err := os.ReadFile(tr.out)
		return err == nil && bytes.Contains(text, []byte("tcp_retransmit_skb(laddr=10.99.0.1"))
	})
	cancel()
	want("@tcpretrans", `tcp_retransmit_skb\(laddr=10\.99\.0\.1, lport=[0-9]+, raddr=10\.99\.0\.9, rport=7773, state=TCP_SYN_SENT, segs=1\)`)
	check(exec.Command("rmmod", "dummy").Run())
	want("@modules", `free_module\(mod->name="dummy"\)`)
}
