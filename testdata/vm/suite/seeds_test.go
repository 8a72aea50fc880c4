//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"golang.org/x/sys/unix"
)

// A seed is an example of the texts that tsnoop carries out: of the slides "Fun with
// Dynamic Kernel Tracing Events", of the documentation of function based events, of
// ksnoop's man page and patch, and of a tutorial on kprobes.
type seed struct {
	typed string // as it is there
	spec  string // the same for this kernel: a function that there is, where the member lies; "" if it is not a spec
	emits string // what the definitions must have, as in typed
	came  string // a regexp of what must come; "" if nothing has to
	why   string // nothing has to come, or it is not the same
}

// seeds are the examples with the offsets of this kernel.
func seeds(t *testing.T) []seed {
	di, si := "%di", "%si"
	if runtime.GOARCH == "arm64" {
		di, si = "%x0", "%x1"
	}
	o := layouts{t, testKernel()}
	name, perm := o.of("struct net_device", "name"), o.of("struct net_device", "perm_addr")
	skbLen, skbDev := o.of("struct sk_buff", "len"), o.of("struct sk_buff", "dev")
	inode, sb := o.of("struct file", "f_inode"), o.of("struct inode", "i_sb")
	typ, typName := o.of("struct super_block", "s_type"), o.of("struct file_system_type", "name")
	fop, read, fn := o.of("struct file", "f_op"), o.of("struct file_operations", "read"), o.of("struct work_struct", "func")

	var bytes, bytesEmitted []string
	for i := range 6 {
		bytes = append(bytes, fmt.Sprintf("x8 a%d+%d", i+1, perm+i))
		bytesEmitted = append(bytesEmitted, fmt.Sprintf(" a%d=+%d($arg2):x8", i+1, perm+i))
	}
	const zeros = `\{0x0, 0x0, 0x0, 0x0, 0x0, 0x0\}`
	path, dentry := o.of("struct file", "f_path"), o.of("struct path", "dentry")
	last := o.of("struct dentry", "d_name") + o.of("struct qstr", "name")
	chain := fmt.Sprintf("+%d(+%d(+%d(+%d($arg1))))", typName, typ, sb, inode)
	return []seed{
		// The slides.
		{"p:open do_sys_open file=%si", "do_sys_openat2(file=" + si + ")", " file=" + si + ":x64", `do_sys_openat2\(file=0x[0-9a-f]+\)`, ""},
		{"p:open do_sys_open file=%si:string", "do_sys_openat2(file=" + si + ":string)", " file=+0(" + si + "):string", `do_sys_openat2\(file="/etc/slides"\)`, "the kernel refuses it as it is"},
		{"p:open do_sys_open file=+0($arg2):string", "do_sys_openat2(file=$arg2:string)", " file=+0($arg2):string", `do_sys_openat2\(file="/etc/slides"\)`, ""},
		{"do_sys_open(NULL, string file)", "do_sys_openat2(NULL, string file)", " file=+0($arg2):string", `do_sys_openat2\(file="/etc/slides"\)`, ""},
		{"do_sys_open(NULL, string file)", "sys_openat(NULL, string file)", "", `sys_openat\(file="/etc/slides"\)`, ""},
		{"p:net ip_rcv dev=$arg2 name=+0($arg2):string", fmt.Sprintf("ip_rcv(NULL, x64 dev | string name+%d)", name), fmt.Sprintf(" name=+%d($arg2):string", name), `ip_rcv\(dev=0xf[0-9a-f]+, name="lo"\)`, ""},
		{"p:net ip_rcv name=+0($arg2):string a1=+574($arg2):x8 ... a6=+579($arg2):x8", fmt.Sprintf("ip_rcv(NULL, string name+%d | %s)", name, strings.Join(bytes, " | ")), strings.Join(bytesEmitted, ""), `ip_rcv\(name="lo", a1=0x0, a2=0x0, a3=0x0, a4=0x0, a5=0x0, a6=0x0\)`, ""},
		{"ip_rcv(NULL, x8[6] perm_addr+574)", fmt.Sprintf("ip_rcv(NULL, x8[6] perm_addr+%d)", perm), fmt.Sprintf(" perm_addr=+%d($arg2):x8[6]", perm), `ip_rcv\(perm_addr=` + zeros + `\)`, ""},
		{"p:crazy __vfs_read name=+0(+0(+40(+40(+32($arg1))))):string", fmt.Sprintf("vfs_read(string name+%d[0]+%d[0]+%d[0]+%d[0])", inode, sb, typ, typName), " name=+0(" + chain + "):string", `vfs_read\(name="proc"\)`, ""},
		{"file->f_inode->i_sb->s_type->name", "vfs_read(file->f_inode->i_sb->s_type->name)", "=+0(" + chain + "):string", `vfs_read\(file->f_inode->i_sb->s_type->name="proc"\)`, ""},
		{"skb->dev->perm_addr", "ip_rcv(NULL, x8[6] dev->perm_addr)", fmt.Sprintf("=+%d($arg2):x8[6]", perm), `ip_rcv\(dev->perm_addr=` + zeros + `\)`, ""},

		// The documentation of kprobe events.
		{"p:read vfs_read name=$arg1:%pD", "vfs_read(name=$arg1:%pD)", fmt.Sprintf(" name=+0(+%d(+%d($arg1))):string", last, path+dentry), `vfs_read\(name="stat"\)`, ""},

		// Function based events.
		{"do_IRQ()", "ip_rcv()", "", `-> ip_rcv\(\)$`, ""},
		{"ip_rcv(x64 skb, x86 dev)", "ip_rcv(x64 skb, x64 dev)", " skb=$arg1:x64 dev=$arg2:x64", `ip_rcv\(skb=0xf[0-9a-f]+, dev=0xf[0-9a-f]+\)`, "there is no type x86"},
		{"ip_rcv(int skb[32], x64 dev)", fmt.Sprintf("ip_rcv(int skb[%d], x64 dev)", skbLen/4), fmt.Sprintf(" skb=+%d($arg1):s32", skbLen), `ip_rcv\(skb=38, dev=0xf[0-9a-f]+\)`, ""},
		{"ip_rcv(x64 skb | int skb[32], x64 dev)", fmt.Sprintf("ip_rcv(x64 skb | int skb[%d], x64 dev)", skbLen/4), fmt.Sprintf(" skb=$arg1:x64 skb_2=+%d($arg1):s32", skbLen), `ip_rcv\(skb=0xf[0-9a-f]+, skb=38, dev=0xf[0-9a-f]+\)`, ""},
		{"ip_rcv(unsigned int skb[32])", fmt.Sprintf("ip_rcv(unsigned int skb[%d])", skbLen/4), fmt.Sprintf(" skb=+%d($arg1):u32", skbLen), `ip_rcv\(skb=38\)`, ""},
		{"int skb+4[31]", fmt.Sprintf("ip_rcv(int skb+4[%d])", skbLen/4-1), fmt.Sprintf(" skb=+%d($arg1):s32", skbLen), `ip_rcv\(skb=38\)`, ""},
		{"__queue_work(int cpu, x64 wq, symbol func[3])", fmt.Sprintf("__queue_work(int cpu, x64 wq, symbol func[%d])", fn/8), fmt.Sprintf(" func=+%d($arg3):symbol", fn), "", "no work is queued here"},
		{"do_IRQ(int total_forks=0xffffffff82354c18 | symbol regs[16])", fmt.Sprintf("vfs_read(int total_forks=%s | symbol regs[%d])", o.address("total_forks"), fop/8), fmt.Sprintf(" regs=+%d($arg1):symbol", fop), `vfs_read\(total_forks=[0-9]+, regs=[a-z_]+\)`, ""},
		{"ip_rcv(x64 skb, x8[6] perm_addr+558)", fmt.Sprintf("ip_rcv(x64 skb, x8[6] perm_addr+%d)", perm), fmt.Sprintf(" perm_addr=+%d($arg2):x8[6]", perm), `ip_rcv\(skb=0xf[0-9a-f]+, perm_addr=` + zeros + `\)`, ""},
		{"x8[6] perm_addr+16[0]+558", fmt.Sprintf("ip_rcv(x8[6] perm_addr+%d[0]+%d)", skbDev, perm), fmt.Sprintf(" perm_addr=+%d(+%d($arg1)):x8[6]", perm, skbDev), `ip_rcv\(perm_addr=` + zeros + `\)`, ""},
		{"link_path_walk(char[64] name)", "do_sys_openat2(NULL, char[64] name)", " name=+0($arg2):string", `do_sys_openat2\(name="/etc/slides"\)`, ""},
		{"link_path_walk(string name)", "do_sys_openat2(NULL, string name)", " name=+0($arg2):string", `do_sys_openat2\(name="/etc/slides"\)`, ""},
		{"__vfs_read(symbol read+40[0]+16)", fmt.Sprintf("vfs_read(symbol read+%d[0]+%d)", fop, read), fmt.Sprintf(" read=+%d(+%d($arg1)):symbol", read, fop), `vfs_read\(read=seq_read\)`, ""},

		// ksnoop.
		{"ksnoop trace ip_send_skb", "ip_send_skb", "", `ip_send_skb\(net=0xf[0-9a-f]+, skb=0xf[0-9a-f]+\) = 0 <`, ""},
		{`ksnoop trace "ip_send_skb(skb)"`, "ip_send_skb(*skb)", "", `ip_send_skb\(\*skb=`, ""},
		{`ksnoop trace "ip_send_skb(return)"`, "ip_send_skb(return)", "", `ip_send_skb\(\) = 0`, ""},
		{`ksnoop trace "ip_send_skb(skb->sk)"`, "ip_send_skb(*skb->sk)", "", `ip_send_skb\(\*skb->sk=`, ""},
		{`ksnoop -p 2813 "ip_rcv(dev)"`, "ip_rcv(*dev)", "", `ip_rcv\(\*dev=`, "what the command does"},
		{`ksnoop "ip_send_skb(skb->len > 100, skb)"`, "ip_send_skb(skb->len > 100, *skb)", "", `ip_send_skb\(skb->len=328, \*skb=`, ""},
		{`ksnoop "ip_rcv(skb->len > 0xff,skb)"`, "ip_rcv(skb->len > 0xff,skb)", "", `ip_rcv\(skb->len=328, skb=0xf[0-9a-f]+\)`, ""},
		{`ksnoop "sock_sendmsg(skb, return != 0)"`, "vfs_read(file, return != 0)", "", `vfs_read\(file=0xf[0-9a-f]+\) = [0-9]+ <`, "sock_sendmsg has no skb"},

		// The tutorial.
		{"p:test_probe sys_execve", "sys_execve()", "", `sys_execve\(\)`, ""},
		{"p:test_probe sys_execve filename=+0(%di):string arg1=+0(+0(%si)):string arg2=+0(+8(%si)):string", "sys_execve(filename, arg1=argv[0]:ustring, arg2=argv[1]:ustring)", "", `sys_execve\(filename="[^"]*load", arg1="load", arg2="open"\)`, "a system call has its arguments in memory now"},
		{"p:test_probe getname filename=+0(%di):string", "do_sys_openat2(filename=" + di + ":x)", " filename=" + di + ":x64", "", ""},
		{`sys_open, filename ~ "/tmp/*"`, `sys_openat(filename ~ "/etc/sl*")`, "", `sys_openat\(filename="/etc/slides"\)`, ""},
	}
}

// layouts finds where things are in this kernel.
type layouts struct {
	t      *testing.T
	kernel *btf.Kernel
}

func (o layouts) of(typ, member string) int {
	o.t.Helper()
	t, err := o.kernel.Type(typ)
	if err != nil {
		o.t.Fatal(err)
	}
	m, err := btf.Member(t, member)
	if err != nil {
		o.t.Fatal(err)
	}
	return int(m.Offset)
}

// address is that of a variable, as /proc/kallsyms writes it.
func (o layouts) address(name string) string {
	return "0x" + symbolAddress(o.t, output(o.t, "/proc/kallsyms"), name)
}

// TestVMSeeds runs all examples of those texts and prints what was typed there, what
// is typed here and what came.
func TestVMSeeds(t *testing.T) {
	current := seed{"p:a vfs_read $current->cgroups->dfl_cgrp->kn->id", "vfs_read(c=$current->comm, id=$current->cgroups->dfl_cgrp->kn->id)", "($current))))", `vfs_read\(c="load", id=[0-9]+\)`, ""}
	if b, err := os.ReadFile(tracing + "/README"); err != nil {
		t.Fatal(err)
	} else if !strings.Contains(string(b), "$current") {
		current.emits, current.why = " id=", "the kernel has no $current: it is that of the CPU"
	}
	all := append(seeds(t), current)
	specs := []string{"-t", "none"}
	for _, s := range all {
		specs = append(specs, s.spec)
	}
	var emitted []byte
	if atEnds() { // what comes shows on all kernels where things are
		var err error
		if emitted, err = exec.Command("tsnoop", append([]string{"--emit"}, specs[2:]...)...).CombinedOutput(); err != nil {
			t.Fatalf("--emit: %v\n%s", err, emitted)
		}
	}
	// More than one packet: one that ksoftirqd happens to receive is not the command's.
	cmd := exec.Command("tsnoop", append(specs, "--", "sh", "-c", "load open /etc/slides; load read /proc/self/stat 17; for i in 1 2 3; do load udp 10; load udp 300; done")...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var name unix.Utsname
	unix.Uname(&name)
	fmt.Printf("on %s\n", unix.ByteSliceToString(name.Release[:]))
	lines := strings.Split(string(out), "\n")
	for _, s := range all {
		fmt.Printf("  %s\n    tsnoop '%s'\n", s.typed, s.spec)
		if s.why != "" {
			fmt.Printf("      (%s)\n", s.why)
		}
		if emitted != nil && !strings.Contains(string(emitted), s.emits) {
			t.Errorf("%s: nothing like %q in what is emitted", s.spec, s.emits)
		}
		if s.came == "" {
			continue
		}
		came := firstMatch(lines, regexp.MustCompile(s.came))
		if came == "" {
			t.Errorf("%s: no line matches %s", s.spec, s.came)
		}
		fmt.Printf("      %s\n", strings.TrimSpace(came))
	}
	if t.Failed() {
		t.Logf("%s\n%s\n%s", emitted, said.String(), out)
	}
}

// firstMatch is the first one that matches, "" if none does.
func firstMatch(lines []string, re *regexp.Regexp) string {
	for _, line := range lines {
		if re.MatchString(line) {
			return line
		}
	}
	return ""
}
