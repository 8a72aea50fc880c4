//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A userCase is a spec and what it shows of calls whose memory is known. The
// calls are made again and again, so that there are good values in the buffer
// for those that cannot be read.
type userCase struct {
	spec  string
	calls []string
	want  string // a line for each call; what is in its parentheses
}

// name is that of the first value, by which a line is known for the spec's.
func (c *userCase) name() string {
	_, values, _ := strings.Cut(c.spec, "(")
	name, _, _ := strings.Cut(values, "=")
	return name + "="
}

const (
	userWrites = "ksys_write(%s) if count > 999 && count < 1100"
	in4        = "((struct sockaddr_in *)uservaddr)->"
	in6        = "((struct sockaddr_in6 *)uservaddr)->"
	base       = "((char *)msg->msg_iov->iov_base)"
)

var userOpens = fmt.Sprintf("do_sys_openat2(%%s) if how->flags & 0x%x", unix.O_NOCTTY)

var userCases = []userCase{{
	spec:  fmt.Sprintf(userWrites, "w=buf[0], d=buf[3], x=*(u64 *)buf:x"),
	calls: []string{"write=abcdefgh", "write-absent=1", "write=", "write-gone=12", "write-end=z"},
	want: `
w='a', d='d', x=0x6867666564636261
w=(fault: buf=ADDR not in memory), d=(fault: buf=ADDR not in memory), x=(fault: (u64 *)buf=ADDR not in memory)
w='\0', d='\0', x=0x0
w=(fault: buf=ADDR not in memory), d=(fault: buf=ADDR not in memory), x=(fault: (u64 *)buf=ADDR not in memory)
w='z', d=(fault: buf=ADDR not in memory), x=(fault: (u64 *)buf=ADDR not in memory)`,
}, {
	spec:  "__sys_connect(f=" + in4 + "sin_family, p=" + in4 + "sin_port, a=" + in4 + "sin_addr.s_addr:ip4, z=((u64 *)uservaddr)[1]:x) if addrlen == 16",
	calls: []string{"connect", "connect-absent", "connect-half"},
	want: `
f=AF_INET, p=4660, a=10.11.12.13, z=0x0
f=(fault: (struct sockaddr_in *)uservaddr=ADDR not in memory), p=(fault: (struct sockaddr_in *)uservaddr=ADDR not in memory), a=(fault: (struct sockaddr_in *)uservaddr=ADDR not in memory), z=(fault: (u64 *)uservaddr=ADDR not in memory)
f=AF_INET, p=4660, a=10.11.12.13, z=(fault: (u64 *)uservaddr=ADDR not in memory)`,
}, {
	spec:  "__sys_connect(q=" + in6 + "sin6_port, a=" + in6 + "sin6_addr:ip6, s=" + in6 + "sin6_scope_id) if addrlen == 28",
	calls: []string{"connect6", "connect6-absent", "connect6-half"},
	want: `
q=4660, a=fe80::1, s=9
q=(fault: (struct sockaddr_in6 *)uservaddr=ADDR not in memory), a=(fault: (struct sockaddr_in6 *)uservaddr=ADDR not in memory), s=(fault: (struct sockaddr_in6 *)uservaddr=ADDR not in memory)
q=4660, a=(fault: (struct sockaddr_in6 *)uservaddr=ADDR not in memory), s=(fault: (struct sockaddr_in6 *)uservaddr=ADDR not in memory)`,
}, {
	// More is read of an address than the program's own.
	spec:  "__sys_bind(b=*umyaddr, u=umyaddr:sockaddr)",
	calls: []string{"bind=4", "bind-end=4", "bind-half=4", "bind-absent=4", "bind=6", "bind-end=6", "bind=/run/abc", "bind-end=/run/abc", "bind-cut=/run/abcdefg"},
	want: `
b=10.11.12.13:4660, u=10.11.12.13:4660
b=10.11.12.13:4660, u=10.11.12.13:4660
b=10.11.12.13:4660, u=10.11.12.13:4660
b=(fault: umyaddr=ADDR not in memory), u=(fault: umyaddr=ADDR not in memory)
b=[fe80::1%9]:4660, u=[fe80::1%9]:4660
b=[fe80::1]:4660 /* 24 of 28 bytes */, u=[fe80::1]:4660 /* 24 of 28 bytes */
b=unix:"/run/abc", u=unix:"/run/abc"
b=unix:"/run/a" /* 8 of 10 bytes */, u=unix:"/run/a" /* 8 of 10 bytes */
b=unix:"/run/a" /* 8 of 14 bytes */, u=unix:"/run/a" /* 8 of 14 bytes */`,
}, {
	spec:  "___sys_sendmsg(n=msg->msg_iov->iov_len, s=" + base + ":string, c=" + base + "[0])",
	calls: []string{"send=hello", "send-noiov=x", "send-absent=x", "send="},
	want: `
n=5, s="hello", c='h'
n=(fault: msg->msg_iov=ADDR not in memory), s=(fault: msg->msg_iov=ADDR not in memory), c=(fault: msg->msg_iov=ADDR not in memory)
n=(fault: msg=ADDR not in memory), s=(fault: msg=ADDR not in memory), c=(fault: msg=ADDR not in memory)
n=0, s="", c='\0'`,
}, {
	spec:  fmt.Sprintf(userOpens, "o=filename, c=filename[0]"),
	calls: []string{"open=badname", "open=", "open-absent", "open-end=", "open-end=b", "open-cut=abc"},
	want: `
o="badname", c='b'
o="", c='\0'
o=(fault: filename=ADDR not in memory), c=(fault: filename=ADDR not in memory)
o="", c='\0'
o="b", c='b'
o=(fault: filename=ADDR not in memory), c='a'`,
}, {
	spec:  "get_timespec64(t=uts->tv_sec, ns=uts->tv_nsec) if uts->tv_nsec == 123456",
	calls: []string{"sleep=123456", "sleep-absent"},
	want:  "\nt=0, ns=123456",
}}

// userConditions are decided by what is in user memory. Missing memory satisfies none of
// them, whatever is in the buffer.
var userConditions = []userCase{
	{fmt.Sprintf(userWrites, "w1=count") + " && buf[0] == 97", nil, "\nw1=1008"},
	{fmt.Sprintf(userWrites, "w2=count") + " && buf[0] != 97", nil, "\nw2=1000\nw2=1001"},
	{fmt.Sprintf(userWrites, "w3=count") + " && !(*(u64 *)buf > 5)", nil, "\nw3=1000"},
	{fmt.Sprintf(userOpens, "o1=filename") + ` && filename == ""`, nil, "\no1=\"\"\no1=\"\""},
	{fmt.Sprintf(userOpens, "o2=filename") + ` && filename != "badname"`, nil, "\no2=\"\"\no2=\"\"\no2=\"b\""},
	{fmt.Sprintf(userOpens, "o3=filename") + ` && filename ~ "*"`, nil, "\no3=\"badname\"\no3=\"\"\no3=\"\"\no3=\"b\""},
	{fmt.Sprintf(userOpens, "o4=filename") + ` && filename[0] == 98`, nil, "\no4=\"badname\"\no4=\"b\""},
	{fmt.Sprintf(userOpens, "o5=how->mode") + ` && filename[0] == 98`, nil, "\no5=0\no5=0"},
}

// TestVMUserMemory reads what programs have in their memory, and does not read
// what they have not.
func TestVMUserMemory(t *testing.T) {
	raw := runUser(t, "-t", "none")
	checkUser(t, raw)
	for _, c := range slices.Concat(userCases, userConditions) {
		c.log(t, raw)
	}
}

// TestVMUserText does the same with the text reader.
func TestVMUserText(t *testing.T) { checkUser(t, runUser(t, "-t", "none", "--reader", "text")) }

// TestVMUserRecorded does the same with a recording, in JSON too.
func TestVMUserRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.dat")
	runUser(t, "record", "-o", file)
	out, err := exec.Command("tsnoop", "replay", "-t", "none", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	checkUser(t, out)
	json, err := exec.Command("tsnoop", "replay", "--json", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, re := range []string{
		`"name":"x","type":"[^"]*","value":(7523094288207667809|"0x6867666564636261")`,
		`\{"name":"x","fault":"\(u64 \*\)buf=0x[0-9a-f]+ (perhaps )?not in memory"\}`,
	} {
		if n := len(regexp.MustCompile(re).FindAll(json, -1)); n < userRounds {
			t.Errorf("JSON: %d times %s:\n%s", n, re, json)
		}
	}
}

// checkUser checks what is shown of all cases.
func checkUser(t *testing.T, got []byte) {
	t.Helper()
	for _, c := range slices.Concat(userCases, userConditions) {
		if diff := cmp.Diff(c.wanted(), c.shown(t, got)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.spec, diff)
		}
	}
}

// TestVMUserAgain looks again at return, where the kernel can do that: system
// calls bring what they need into memory.
func TestVMUserAgain(t *testing.T) {
	specs := []string{
		fmt.Sprintf(userOpens, "o=filename, c=filename[0], return"),
		"__sys_connect(f=" + in4 + "sin_family, p=" + in4 + "sin_port, return)",
		fmt.Sprintf(userWrites, "w=buf[0], return"),
	}
	calls := "open=/here open-mapped=/not/there open-absent connect-absent connect write-mapped=never-read open-mapped=/not/there"
	file := filepath.Join(t.TempDir(), "t.dat")
	args := append([]string{"record", "-o", file}, specs...)
	if out, err := exec.Command("tsnoop", append(args, "--", "sh", "-c", "load on 0 user "+calls)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("tsnoop", "replay", "-t", "none", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	json, err := exec.Command("tsnoop", "replay", "--json", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`o="/here", c='/'\) = -2 `,
		`o="/not/there" \(at return\), c='/' \(at return\)\) = -2 `,
		`o="" \(at return\), c='\\0' \(at return\)\) = -2 `,
		`f=AF_UNSPEC \(at return\), p=0 \(at return\)\) = `,
		`f=AF_INET, p=4660\) = `,
		`w=\(fault: buf=0x[0-9a-f]+ not in memory\)\) = 1010 `,
		`o="/not/there" \(at return\)`,
	}
	wantJSON := `"name":"o","type":"[^"]*","value":"/not/there","at":"return"`
	if !strings.Contains(readme(t), "kernel return probes support: $retval, $arg<N>") {
		want = []string{`o="/here"`, `o=\(fault: `, `o=\(fault: `, `f=\(fault: `, `f=AF_INET, p=4660`, `w=\(fault: `, `o=\(fault: `}
		wantJSON = `"name":"o","type":"[^"]*","value":null`
	}
	if !regexp.MustCompile(strings.Join(want, "(?s:.*)")).Match(out) {
		t.Errorf("in turn there should be\n%s", strings.Join(want, "\n"))
	}
	if !regexp.MustCompile(wantJSON).Match(json) {
		t.Errorf("no %s in\n%s", wantJSON, json)
	}
}

// TestVMUserBusy reads the same function's memory on both CPUs, some of it not
// there. Where the kernel counts faults, those of the other CPU cast doubt on what
// is there; but nothing is shown that was not.
func TestVMUserBusy(t *testing.T) {
	const calls = "write= write-absent=123 write-gone=123456789012"
	values := map[string]string{"1008": "0x6867666564636261", "1009": "0x4847464544434241", "1000": "0x0", "1003": "", "1012": ""} // by size
	cmd := exec.Command("tsnoop", "-t", "none", fmt.Sprintf(userWrites, "n=count, x=*(u64 *)buf:x"), "--", "sh", "-c",
		"load on 0 times 200 user write=abcdefgh "+calls+" & load on 1 times 200 user write=ABCDEFGHI "+calls+"; wait")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	shown, doubted := 0, 0
	line := regexp.MustCompile(`ksys_write\(n=(\d+), x=(?:(0x[0-9a-f]+)|\(fault: .* (perhaps )?not in memory\))\)`)
	for _, m := range line.FindAllSubmatch(out, -1) {
		switch want := values[string(m[1])]; {
		case len(m[2]) > 0 && string(m[2]) != want:
			t.Errorf("%s, and there was %q", m[0], want)
		case len(m[2]) > 0:
			shown++
		case want != "":
			doubted++
		}
	}
	t.Logf("%d values were shown, %d doubted", shown, doubted)
	if shown+doubted != 800 || shown < 400 || doubted > 0 && strings.Contains(readme(t), "symstr") {
		t.Errorf("%d values were shown, %d doubted, of 800", shown, doubted)
	}
}

// TestVMUserBucket reads memory in a function whose probe shares its place in the
// kernel's table with another one: tsnoop's own, and somebody else's that comes and
// goes. Kernels that count faults do that in the probe, which is found by that table.
func TestVMUserBucket(t *testing.T) {
	other := sameBucket(t, "ksys_write")
	const load = "load on 0 times 20 user write=abc; "
	const events = "/sys/kernel/tracing/kprobe_events; "
	script := load + "echo p:foreign/x " + other + " >>" + events + load + "echo -:foreign/x >>" + events + load +
		"echo p:foreign/x ksys_write >>" + events + load + "echo -:foreign/x >>" + events
	for _, tt := range []struct {
		specs   []string
		doubted int // where the kernel counts
	}{
		{[]string{fmt.Sprintf(userWrites, "w=buf[0]")}, 20},
		{[]string{fmt.Sprintf(userWrites, "w=buf[0]"), other + "()"}, 0},
		{[]string{fmt.Sprintf(userWrites, "w=buf[0]"), other + "(return)"}, 0},
		{[]string{other + "(return)", fmt.Sprintf(userWrites, "w=buf[0]"), "__set_task_comm*()"}, 0},
	} {
		if !strings.Contains(readme(t), "symstr") {
			t.Logf("%s shares the bucket of ksys_write", other)
		} else {
			tt.doubted = 0
		}
		cmd := exec.Command("tsnoop", append(append([]string{"-t", "none"}, tt.specs...), "--", "sh", "-c", script)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		shown, doubted := strings.Count(string(out), "w='a'"), strings.Count(string(out), "perhaps not in memory")
		if shown != 80-tt.doubted || doubted != tt.doubted {
			t.Errorf("%q: %d values are shown and %d doubted, want %d and %d", tt.specs, shown, doubted, 80-tt.doubted, tt.doubted)
		}
	}
}

// sameBucket finds a function that returns a value in the same bucket of the kernel's
// kprobe_table.
func sameBucket(t *testing.T, name string) string {
	t.Helper()
	kallsyms, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	traceable, err := os.ReadFile(tracing + "/available_filter_functions")
	if err != nil {
		t.Fatal(err)
	}
	seldom := func(symbol string) bool {
		return strings.HasPrefix(symbol, "pci_") || strings.HasPrefix(symbol, "acpi_")
	}
	times := map[string]int{}
	buckets := map[string]uint64{}
	for line := range strings.Lines(string(kallsyms)) {
		text, rest, _ := strings.Cut(line, " ")
		symbol, _, _ := strings.Cut(strings.TrimSpace(rest[2:]), "\t")
		if symbol != name && !seldom(symbol) {
			continue
		}
		addr, _ := strconv.ParseUint(text, 16, 64)
		times[symbol]++
		buckets[symbol] = addr * 0x61c8864680b583eb >> 58
	}
	for line := range strings.Lines(string(traceable)) {
		other := strings.TrimSpace(line)
		if seldom(other) && times[other] == 1 && times[name] == 1 && buckets[other] == buckets[name] &&
			exec.Command("tsnoop", "--emit", other+"(return)").Run() == nil {
			return other
		}
	}
	t.Fatal("no other function has the bucket")
	return ""
}

// TestVMUserCut reads a text that goes on where there is no memory, and is longer
// than what the record has room for.
func TestVMUserCut(t *testing.T) {
	cmd := exec.Command("tsnoop", "-t", "none", fmt.Sprintf(userOpens, "o=filename"),
		"--", "load", "on", "0", "times", "20", "user", "open-cut=abcdefghijkl", "open=good")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	cut := regexp.MustCompile(`o=\(fault: filename=0x[0-9a-f]+ not in memory\)`).FindAll(out, -1)
	if good := strings.Count(string(out), `o="good"`); len(cut) != 20 || good != 20 {
		t.Errorf("%d faults and %d names, want 20 each:\n%s", len(cut), good, out)
	}
}

func readme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(tracing + "/README")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const userRounds = 3

// runUser has tsnoop trace all calls of all cases, again and again.
func runUser(t *testing.T, args ...string) []byte {
	t.Helper()
	load := []string{"--", "load", "on", "0", "times", fmt.Sprint(userRounds), "user"}
	for _, c := range userCases {
		args, load = append(args, c.spec), append(load, c.calls...)
	}
	for _, c := range userConditions {
		args = append(args, c.spec)
	}
	cmd := exec.Command("tsnoop", append(args, load...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out
}

// wanted is what all rounds show.
func (c *userCase) wanted() string { return strings.Repeat(c.want, userRounds) }

var faultAddress = regexp.MustCompile(`=0x[0-9a-f]+ (perhaps |)not`)

// shown is what the case's lines have in parentheses, with the addresses of
// faults made equal. Where the kernel only counts faults, others may have had them.
func (c *userCase) shown(t *testing.T, out []byte) string {
	counts := !strings.Contains(readme(t), "symstr")
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		_, call, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " -> ")
		_, values, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
		if !strings.HasPrefix(values, c.name()) {
			continue
		}
		values = faultAddress.ReplaceAllString(values, "=ADDR ${1}not")
		if counts {
			values = strings.ReplaceAll(values, "=ADDR perhaps", "=ADDR")
		}
		b.WriteString("\n" + values)
	}
	return b.String()
}

// log prints what the calls of one round have shown.
func (c *userCase) log(t *testing.T, out []byte) {
	t.Log(c.spec)
	all := c.shown(t, out)
	lines := strings.Split(all[:len(all)/userRounds], "\n")[1:]
	for i, line := range lines {
		call := ""
		if len(lines) == len(c.calls) {
			call = c.calls[i]
		}
		t.Logf("    %-15s %s", call, line)
	}
}
