//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// presetPrograms runs what the tools and the presets are about, each in a process of one
// thread, and returns these.
func presetPrograms(t *testing.T) (pids []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	stdin, text, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	start := func(words ...string) *exec.Cmd {
		cmd := exec.Command("/bin/busybox", words...)
		cmd.Stdin = stdin // nc ends when that does
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, fmt.Sprint(cmd.Process.Pid))
		return cmd
	}
	for _, words := range [][]string{
		{"cat", "/etc/passwd", "/no/such", "/proc/version"},
		{"kill", "-CONT", fmt.Sprint(os.Getpid())},
		{"kill", "-9", "4000000"},
		{"dd", "if=/dev/null", "of=" + file, "conv=fsync"},
		{"sync"},
		{"chown", "1", file},
		{"hostname", "preset"},
		{"nc", "127.0.0.1", "9"},
	} {
		start(words...).Wait() // some fail, as they should
	}
	server := start("nc", "-l", "-p", "5555")
	listens := regexp.MustCompile(`:15B3 0+:0000 0A`) // and is not one of an earlier run
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		four, _ := os.ReadFile("/proc/net/tcp")
		six, _ := os.ReadFile("/proc/net/tcp6")
		if listens.Match(append(four, six...)) {
			break
		}
	}
	client := start("nc", "127.0.0.1", "5555")
	time.Sleep(300 * time.Millisecond) // so long the connection lasts at least
	text.Close()
	client.Wait()
	server.Wait()
	return pids
}

// presetRun runs programs of one thread one after the other, of which some fail, as they
// should, and returns their processes.
func presetRun(t *testing.T, programs ...[]string) (pids []string) {
	t.Helper()
	for _, words := range programs {
		cmd := exec.Command(words[0], words[1:]...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, fmt.Sprint(cmd.Process.Pid))
		cmd.Wait()
	}
	return pids
}

// presetStats asks for the metadata of files and of a file system.
func presetStats(t *testing.T) []string {
	return presetRun(t, []string{"load", "stat", "/etc/passwd", "/no/such", "/etc"})
}

// presetMounts mounts and unmounts, and tries to.
func presetMounts(t *testing.T) []string {
	dir, err := os.MkdirTemp("", "mnt")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(dir)
	return presetRun(t,
		[]string{"/bin/busybox", "mount", "-t", "tmpfs", "-o", "size=1m,nosuid", "preset", dir},
		[]string{"/bin/busybox", "umount", dir},
		[]string{"/bin/busybox", "mount", "-t", "tmpfs", "preset", "/no/such"})
}

// presetEnds ends in several ways.
func presetEnds(t *testing.T) []string {
	return presetRun(t,
		[]string{"/bin/busybox", "true"},
		[]string{"/bin/busybox", "sh", "-c", "exit 3"},
		[]string{"/bin/busybox", "sh", "-c", "kill -9 $$"},
		[]string{"/bin/busybox", "sh", "-c", "kill -15 $$"})
}

// presetShortLived makes files and removes them.
func presetShortLived(t *testing.T) []string {
	if kernel := os.Getenv("TSNOOP_VM_KERNEL"); kernel != "6.1" {
		t.Skipf("filelife shows nothing on %s", kernel)
	}
	file := filepath.Join(t.TempDir(), "short")
	return presetRun(t,
		[]string{"/bin/busybox", "touch", file, file + "2"},
		[]string{"/bin/busybox", "rm", file},
		[]string{"/bin/busybox", "rm", file + "2"})
}

// presetVictim has somebody killed who says that it wants to be, for want of memory.
func presetVictim(t *testing.T) []string {
	victim := exec.Command("/bin/sh", "-c", "echo 1000 >/proc/self/oom_score_adj; echo; exec sleep 1000")
	said, err := victim.StdoutPipe()
	if err == nil {
		err = victim.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said.Read(make([]byte, 1))
	if err := os.WriteFile("/proc/sysrq-trigger", []byte("f"), 0); err != nil {
		t.Fatal(err)
	}
	victim.Wait()
	return []string{fmt.Sprint(victim.Process.Pid)}
}

// presetUnheard calls where nobody answers, until the kernel drops what it has not sent.
func presetUnheard(t *testing.T) []string {
	up := exec.Command("/bin/sh", "-c", "insmod /lib/modules/tsnoop/dummy.ko && ip link set dummy0 arp on && ip addr add 10.99.0.1/24 dev dummy0 && ip link set dummy0 up")
	if said, err := up.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	defer exec.Command("rmmod", "dummy").Run()
	pids := presetRun(t, []string{"/bin/busybox", "timeout", "5", "/bin/busybox", "nc", "10.99.0.9", "7773"})
	time.Sleep(2 * time.Second) // the kernel may only then give up
	return pids
}
