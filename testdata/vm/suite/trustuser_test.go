//go:build vm

package suite

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// accounts adds users. alice is in two groups besides her own.
func accounts(t *testing.T) (alice *syscall.SysProcAttr) {
	t.Helper()
	for file, lines := range map[string]string{
		"/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1001::/home/alice:/bin/sh\n",
		"/etc/group":  "root:x:0:\nalice:x:1001:\nwheel:x:10:root,alice\nvideo:x:44:alice\n",
	} {
		old, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(lines), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.WriteFile(file, old, 0o644) })
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1001, Groups: []uint32{1001, 10, 44}}}
}

// setID copies load to a file with this owner and mode.
func setID(t *testing.T, name string, uid, gid int, mode uint32) string {
	t.Helper()
	path, err := exec.LookPath("load")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(name, b, 0o755)
	}
	if err == nil {
		err = os.Chown(name, uid, gid)
	}
	if err == nil {
		err = unix.Chmod(name, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(name) })
	return name
}

// TestTrustUser: a command has the user, the groups and the environment that it would have
// without tsnoop, also if its file changes them, and is traced.
func TestTrustUser(t *testing.T) {
	before := tracefsState(t)
	alice := accounts(t)
	os.Setenv("HOME", "/root")
	number := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4711, Gid: 4712}}
	programs := []string{"/bin/load", setID(t, "/tmp/setuid", 0, 0, 0o4755), setID(t, "/tmp/setgid", 0, 12, 0o2755),
		setID(t, "/tmp/setboth", 4711, 4712, 0o6755)}
	if path, err := exec.LookPath("load"); err == nil {
		programs[0] = path
	}
	cases := 0
	same := func(how string, attr *syscall.SysProcAttr, flags []string, run *syscall.SysProcAttr, program string) {
		t.Helper()
		want, _ := rightly(attr, program, "rights", "99")
		args := append([]string{"tsnoop", "-o", "/tmp/calls"}, flags...)
		got, status := rightly(run, append(args, "generic_file_llseek(offset) if offset == 99", "--", program, "rights", "99")...)
		calls, _ := os.ReadFile("/tmp/calls")
		os.Remove("/tmp/calls")
		if status != 0 || !strings.Contains(got, want) || !strings.Contains(string(calls), "offset=99") || want == "" {
			t.Errorf("%s: %s: status %d\n%swant\n%swith calls\n%s", how, program, status, got, want, calls)
		}
		cases++
	}
	for i, program := range programs {
		if i > 0 && i < 3 && size(0, 1) == 0 {
			continue // the last one has both
		}
		if same("-u alice", alice, []string{"-u", "alice"}, nil, program); i == 0 || size(0, 1) == 1 {
			same("--user 1000", alice, []string{"--user", "1000"}, nil, program)
			same("-u 4711:4712", number, []string{"-u", "4711:4712"}, nil, program)
		}
		if i == 3 || size(0, 1) == 1 {
			same("root", nil, nil, nil, program)
		}
	}

	// Under a user who may trace, ptrace(2) would take the effect from set-user-ID files.
	if err := unix.Mount("nodev", tracing, "tracefs", unix.MS_REMOUNT, "uid=1000,gid=1001,mode=0750"); err != nil {
		t.Fatal(err)
	}
	if out, status := rightly(alice, "tsnoop", "generic_file_llseek", "--", "load", "seek", "1"); status == 0 {
		for _, program := range programs[1:size(2, len(programs))] {
			same("alice", alice, nil, alice, program)
		}
	} else if !strings.Contains(out, " is not for user 1000\nhint: run as root\n") { // as on 5.10
		t.Errorf("status %d: %s", status, out)
	}
	unix.Mount("nodev", tracing, "tracefs", unix.MS_REMOUNT, "uid=0,gid=0,mode=0700")

	for _, c := range []struct {
		run    *syscall.SysProcAttr
		args   string
		status int
		want   string
	}{
		{nil, "-u nobody vfs_read -- load rights 1", 1, `tsnoop: --user: unknown user "nobody": /etc/passwd does not list this user`},
		{nil, "-u alice vfs_read -- " + setID(t, "/tmp/private", 0, 0, 0o700) + " rights 1", 2, "tsnoop: cannot run /tmp/private: permission denied\nhint: "},
		{nil, "-u alice vfs_read -- /no/such", 2, "tsnoop: cannot run /no/such: no such file or directory\nhint: "},
		{nil, "-u alice vfs_read", 2, "tsnoop: --user is the user to run a command as"},
		{alice, "list sched:*", 1, "tsnoop: no module sched is known, and events cannot be read: " + tracing + " is not for user 1000\nhint: run as root: sudo tsnoop list 'sched:*'\n"},
		{alice, "info sched:sched_switch", 1, "tsnoop: no module sched is known, and events cannot be read: " + tracing + " is not for user 1000\nhint: run as root: sudo tsnoop info 'sched:sched_switch'\n"},
		{nil, "-u alice -o /dev/null vfs_read -- sh -c kill\t-9\t$$", 128 + 9, ""},
		{nil, "-u alice -o /dev/null vfs_read -- sh -c exit\t7", 7, ""},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "\t", "\x00"))
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\x00", " ")
		}
		cases++
		if out, status := rightly(c.run, append([]string{"tsnoop"}, args...)...); status != c.status || !strings.HasPrefix(out, c.want) {
			t.Errorf("%s: status %d\n%s", c.args, status, out)
		}
	}
	if after := tracefsState(t); after != before {
		t.Errorf("tracefs was left as\n%s\nit was\n%s", after, before)
	}
	figure(t, "commands run as a user", cases)
}

// TestTrustOwner: what root writes for somebody belongs to whoever asked, for nobody else
// to read; an invalid user is not believed.
func TestTrustOwner(t *testing.T) {
	accounts(t)
	dir := t.TempDir()
	envs := map[string][2]uint32{"SUDO_UID=1000 SUDO_GID=1001": {1000, 1001}}
	if size(0, 1) == 1 { // TestAskerBelieved has more
		envs["NONE="], envs["SUDO_UID=1000"], envs["DOAS_USER=nobody"] = [2]uint32{}, [2]uint32{}, [2]uint32{}
		envs["DOAS_USER=alice"] = [2]uint32{1000, 1001}
	}
	for env, want := range envs {
		for _, args := range [][]string{{"record", "-o", dir + "/made"}, {"-o", dir + "/made"}} {
			cmd := exec.Command("tsnoop", append(args, "generic_file_llseek", "--", "load", "seek", "1")...)
			cmd.Env = append(os.Environ(), strings.Fields(env)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			var st unix.Stat_t
			if err := unix.Stat(dir+"/made", &st); err != nil || st.Uid != want[0] || st.Gid != want[1] || st.Mode != unix.S_IFREG|0o600 || st.Size == 0 {
				t.Errorf("%s: %s: user %d, group %d, mode %o, %v; want %v", env, args, st.Uid, st.Gid, st.Mode, err, want)
			}
			os.Remove(dir + "/made")
		}
	}
	figure(t, "files made for others", 2*len(envs))
}
