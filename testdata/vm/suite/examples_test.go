//go:build vm

package suite

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	commands "github.com/tsnoop/tsnoop/testdata/readme"
)

// exampleSpecs are the specs in the command lines of a help topic: all that they have in quotes.
func exampleSpecs(t *testing.T, topic string) (specs []string) {
	t.Helper()
	text, err := exec.Command("tsnoop", "help", topic).Output()
	if err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`(?m) \|\n    .*$`).ReplaceAllString(string(text), "") // the reader of a pipe
	whole = strings.ReplaceAll(whole, "\n    ", " ")                                   // a command's further lines
	for line := range strings.Lines(whole) {
		if strings.HasPrefix(line, "  tsnoop ") {
			for _, quoted := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(line, -1) {
				specs = append(specs, quoted[1])
			}
		}
	}
	if len(specs) == 0 {
		t.Fatalf("help %s has no command lines", topic)
	}
	return specs
}

// TestVMExamplesTraced traces all examples at once while what they ask for happens.
func TestVMExamplesTraced(t *testing.T) {
	const happens = `cd /tmp; mkdir -p log /var/log; echo x >core; rm core; echo x >log/x; echo xyz >/var/log/x; cat /no/such; ls /etc; sync
		dd if=/bin/busybox of=/dev/null bs=128k count=1; ping -c 1 127.0.0.1; sleep 100 & kill $!; nc -w 1 127.0.0.1 9
		hostname vm; mount -t tmpfs x /mnt; umount /mnt; fsync log/x; true`
	args := append([]string{"-t", "none", "--compact"}, exampleSpecs(t, "examples")...)
	out, err := exec.Command("tsnoop", append(args, "--", "/bin/sh", "-c", happens)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		`sys_openat\(filename="/etc", flags=O_RDONLY`,
		`vfs_unlink\(dentry->d_name.name="core"\)`,
		`vfs_write\(file="/tmp/log/x", count=2\)`,
		`vfs_write\(file="/var/log/x", count=4\)`,
		`do_sys_openat2\(filename="/no/such"\) = -2 \(ENOENT\)`,
		`vfs_read\(file="/bin/busybox", count=131072\)`,
		`vfs_read\(\) = 131072`,
		`sys_connect\(uservaddr=.*127.0.0.1.*ECONNREFUSED`,
		`sys_kill\(pid=[0-9]+, sig=SIGTERM\)`,
		`begin_new_exec\(bprm->filename="/proc/self/exe"`,
		`do_exit\(code=[1-9]`,
		`kernel_clone\(args->flags=.*exit_signal=`,
		`sys_mount\(dev_name="x", dir_name="/mnt", type="tmpfs"`,
		`tcp_set_state\(.*skc_dport=9, .*skc_daddr=127.0.0.1, state=`,
		`ip_rcv\(dev->name="lo", \*skb=`,
		`(sk_skb_reason_drop|kfree_skb_reason|kfree_skb)\(skb->dev->name="lo"`,
		`sys_sethostname\(name="vm`,
		`vfs_open\(path->dentry->d_name.name="busybox`,
		`vfs_open\(file->f_flags=0x`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("no %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

// TestVMExamples has this kernel's lines for the specs of all help topics. Those of the language
// and of the usage are traced.
func TestVMExamples(t *testing.T) {
	emit := []string{"--emit"}
	for _, topic := range []string{"examples", "compare", "json"} {
		emit = append(emit, exampleSpecs(t, topic)...)
	}
	if out, err := exec.Command("tsnoop", emit...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	args := []string{"-t", "none"}
	for line := range strings.Lines(helpAfter(t, "\nExamples:\n", "help", "spec")) {
		args = append(args, strings.TrimSpace(line))
	}
	for _, quoted := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(helpAfter(t, "\nExample:\n", "--help"), -1) {
		args = append(args, quoted[1])
	}
	// A busy kernel receives in ksoftirqd, not in ping, which is traced: eight tries.
	const load = "cat /etc/passwd /no/such; ping -c 8 -i 0.2 -s 200 127.0.0.1; true"
	out, err := exec.Command("tsnoop", append(args, "--", "/bin/sh", "-c", load)...).CombinedOutput()
	if err != nil || len(args) < 2+9 {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	for _, want := range []string{
		`do_sys_openat2\(file="/etc/passwd", how=0x[0-9a-f]+, resolve=0x0\)`,
		`sys_openat\(filename="/no/such", flags=O_RDONLY[A-Z_|]*\)`,
		`ip_rcv\(skb->len=228, dev->name="lo", dev->perm_addr=00:00:00:00:00:00\)`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("no %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

// helpAfter returns the part of a text of tsnoop's that follows a heading.
func helpAfter(t *testing.T, heading string, args ...string) string {
	text, err := exec.Command("tsnoop", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), heading)
	return after
}

// TestVMReadme has this kernel's lines for the specs of README.md, except globs of many
// functions.
func TestVMReadme(t *testing.T) {
	lines, err := commands.Lines("/opt/README.md")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--emit"}
	for _, line := range lines {
		for _, quoted := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(line, -1) {
			if !strings.Contains(quoted[1], "_*") && !strings.Contains(quoted[1], "skbb") {
				args = append(args, quoted[1])
			}
		}
	}
	if out, err := exec.Command("tsnoop", args...).CombinedOutput(); err != nil || len(args) < 20 {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
}
