package constants

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	for _, c := range []struct {
		arch, name string
		want       int64
	}{
		{"amd64", "O_CREAT", 0o100}, {"arm64", "O_CREAT", 0o100},
		{"amd64", "O_DIRECT", 0o40000}, {"arm64", "O_DIRECT", 0o200000},
		{"amd64", "O_DIRECTORY", 0o200000}, {"arm64", "O_DIRECTORY", 0o40000},
		{"amd64", "O_LARGEFILE", 0o100000}, {"arm64", "O_LARGEFILE", 0o400000},
		{"amd64", "MAP_32BIT", 0x40}, {"arm64", "PROT_BTI", 0x10},
		{"amd64", "AF_INET6", 10}, {"amd64", "AT_FDCWD", -100}, {"amd64", "SIGKILL", 9},
		{"amd64", "S_IFREG", 0o100000}, {"amd64", "ETH_P_IP", 0x800}, {"amd64", "IPPROTO_TCP", 6},
		{"amd64", "PACKET_OUTGOING", 4}, {"amd64", "CLONE_VM", 0x100}, {"amd64", "MS_BIND", 4096},
		{"amd64", "EPOLLIN", 1}, {"amd64", "F_DUPFD", 0}, {"amd64", "MSG_PEEK", 2}, {"amd64", "SOCK_STREAM", 1},
		{"amd64", "FUTEX_WAKE", 1}, {"amd64", "ULONG_MAX", -1}, {"amd64", "UINT_MAX", 0xffffffff},
	} {
		if got, ok := For(c.arch).Value(c.name); !ok || got != c.want {
			t.Errorf("%s on %s is %#x, %t; want %#x", c.name, c.arch, got, ok, c.want)
		}
	}
	for _, c := range [][2]string{{"arm64", "MAP_32BIT"}, {"amd64", "PROT_BTI"}, {"amd64", "ENOENT"}, {"amd64", "#"}, {"amd64", ""}, {"riscv64", "O_CREAT"}} {
		if got, ok := For(c[0]).Value(c[1]); ok {
			t.Errorf("%s on %s is %#x", c[1], c[0], got)
		}
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		arch, set string
		x         uint64
		want      string
	}{
		{"amd64", "open", 0, "O_RDONLY"},
		{"amd64", "open", 0o101, "O_WRONLY|O_CREAT"},
		{"amd64", "open", 0x2000000000000041, "O_WRONLY|O_CREAT|0x2000000000000000"},
		{"amd64", "open", 3, "0x3"},
		{"amd64", "open", 0x101002, "O_RDWR|O_SYNC"},
		{"amd64", "open", 0x1002, "O_RDWR|O_DSYNC"},
		{"amd64", "open", 0x410002, "O_RDWR|O_TMPFILE"},
		{"amd64", "open", 0x98000, "O_RDONLY|O_LARGEFILE|O_DIRECTORY|O_CLOEXEC"},
		{"arm64", "open", 0x98000, "O_RDONLY|O_DIRECT|O_NOFOLLOW|O_CLOEXEC"},
		{"amd64", "mode", 0o100644, "S_IFREG|0644"},
		{"amd64", "mode", 0o41777, "S_IFDIR|01777"},
		{"amd64", "mode", 0o120000, "S_IFLNK"},
		{"amd64", "mode", 0o755, "0755"},
		{"amd64", "mode", 0, "0"},
		{"amd64", "mmap_prot", 0, "PROT_NONE"},
		{"amd64", "mmap_prot", 5, "PROT_READ|PROT_EXEC"},
		{"amd64", "mmap_prot", 0x10, "0x10"},
		{"arm64", "mmap_prot", 0x11, "PROT_READ|PROT_BTI"},
		{"amd64", "mmap_flags", 0x22, "MAP_PRIVATE|MAP_ANONYMOUS"},
		{"amd64", "mmap_flags", 0x62, "MAP_PRIVATE|MAP_ANONYMOUS|MAP_32BIT"},
		{"arm64", "mmap_flags", 0x62, "MAP_PRIVATE|MAP_ANONYMOUS|0x40"},
		{"amd64", "mmap_flags", 0x54040022, "MAP_PRIVATE|MAP_HUGE_2MB|MAP_ANONYMOUS|MAP_HUGETLB"},
		{"amd64", "clone", 0x1200011, "SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID"},
		{"amd64", "clone", 0x4111, "SIGCHLD|CLONE_VM|CLONE_VFORK"},
		{"amd64", "signal", 9, "SIGKILL"},
		{"amd64", "signal", 6, "SIGABRT"},
		{"amd64", "signal", 34, "34"},
		{"amd64", "signal", 0, "0"},
		{"amd64", "at", 0x1100, "AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH"},
		{"amd64", "at", 0, "0"},
		{"amd64", "at", 0x200, "AT_REMOVEDIR"},
		{"amd64", "handleat", 0x1200, "AT_HANDLE_FID|AT_EMPTY_PATH"},
		{"amd64", "dirfd", ^uint64(99), "AT_FDCWD"},
		{"amd64", "dirfd", ^uint64(0), "-1"},
		{"amd64", "dirfd", 3, "3"},
		{"amd64", "access", 0, "F_OK"},
		{"amd64", "access", 6, "R_OK|W_OK"},
		{"amd64", "af", 1, "AF_UNIX"},
		{"amd64", "af", 16, "AF_NETLINK"},
		{"amd64", "af", 0, "AF_UNSPEC"},
		{"amd64", "af", 1000, "1000"},
		{"amd64", "sockettype", 0x80801, "SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC"},
		{"amd64", "msg", 0x4040, "MSG_DONTWAIT|MSG_NOSIGNAL"},
		{"amd64", "ethertype", 0x86dd, "ETH_P_IPV6"},
		{"amd64", "ethertype", 0x1234, "0x1234"},
		{"amd64", "ipproto", 17, "IPPROTO_UDP"},
		{"amd64", "ipproto", 200, "200"},
		{"amd64", "futex", 0x80, "FUTEX_WAIT|FUTEX_PRIVATE_FLAG"},
		{"amd64", "futex", 0x181, "FUTEX_WAKE|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME"},
		{"amd64", "falloc", 3, "FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE"},
		{"amd64", "epoll", 0x80000001, "EPOLLIN|EPOLLET"},
		{"amd64", "flock", 6, "LOCK_EX|LOCK_NB"},
		{"amd64", "clock", 1, "CLOCK_MONOTONIC"},
		{"amd64", "madvise", 4, "MADV_DONTNEED"},
		{"amd64", "seek", 4, "SEEK_HOLE"},
		{"amd64", "ipcget", 0o3600, "IPC_CREAT|IPC_EXCL|0600"},
		{"amd64", "shmat", 0o30000, "SHM_RDONLY|SHM_RND"},
		{"amd64", "semctl", 0, "IPC_RMID"},
		{"amd64", "semctl", 16, "SETVAL"},
		{"amd64", "fadvise", 4, "POSIX_FADV_DONTNEED"},
		{"amd64", "closerange", 6, "CLOSE_RANGE_UNSHARE|CLOSE_RANGE_CLOEXEC"},
		{"amd64", "membarrier", 8, "MEMBARRIER_CMD_PRIVATE_EXPEDITED"},
		{"amd64", "arch_prctl", 0x1002, "ARCH_SET_FS"},
		{"arm64", "arch_prctl", 0x1002, "0x1002"},
	} {
		set := For(c.arch).Set(c.set)
		if set == nil {
			t.Errorf("no set %s", c.set)
			continue
		}
		if got := string(set.Append([]byte("x="), c.x)); got != "x="+c.want {
			t.Errorf("%s %#x on %s: %s, want %s", c.set, c.x, c.arch, got[2:], c.want)
		}
	}
}

// TestRows finds names that no architecture has, and globs that mean nothing.
func TestRows(t *testing.T) {
	for _, r := range rows {
		lists := []string{r.flags, r.zero}
		for _, f := range r.fields {
			lists = append(lists, f.names)
		}
		for glob := range strings.FieldsSeq(strings.Join(lists, " ")) {
			found := false
			for _, table := range tables {
				found = found || len(table.values(glob)) > 0
			}
			if !found {
				t.Errorf("%s: there is no %s", r.name, glob)
			}
		}
	}
}

func TestAppendAllocates(t *testing.T) {
	set, dst := For("amd64").Set("open"), make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() { dst = set.Append(dst[:0], 0x7f8c41) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestGenerated compares the tables with what the generator makes of the module that
// go.mod names.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "./testdata/gen", "-o", dir)
	// With -trimpath it would not find the standard library, and without it Go would compile
	// all of that once more.
	cmd.Env = append(os.Environ(), "GOROOT="+strings.TrimSpace(string(root)))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	if len(made) != 1+len(tables) {
		t.Errorf("made: %q", made)
	}
	for _, path := range made {
		want, _ := os.ReadFile(path)
		if got, err := os.ReadFile(filepath.Base(path)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate makes; %v", filepath.Base(path), err)
		}
	}
}
