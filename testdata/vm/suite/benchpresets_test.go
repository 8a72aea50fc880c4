//go:build vm

package suite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A presetPeer is a preset and the tool that people know, whose rows have to be the
// same for the same programs.
type presetPeer struct {
	tool, preset string
	row          *regexp.Regexp          // of the tool: the process first, and what is compared
	ours         func(presetCall) []any  // the same of a call, behind the process
	theirs       func([]string) []string // of a row, where words are others; nil if not
	lasts        bool                    // the last column is ms, and the process may be another
}

// A presetCall is a line of tsnoop's.
type presetCall struct {
	Tid     int
	Func    string
	Args    []presetValue
	Ret     struct{ Value json.Number }
	RetArgs []presetValue `json:"ret_args"`
}

type presetValue struct{ Value any }

// arg is the value of the argument of that place, those of the return behind those of the
// entry.
func (c presetCall) arg(i int) any { return append(c.Args, c.RetArgs...)[i].Value }

// result is what opensnoop makes of what was returned: a descriptor and an error.
func (c presetCall) result() (fd, errno string) {
	if failed, ok := strings.CutPrefix(c.Ret.Value.String(), "-"); ok {
		return "-1", failed
	}
	return c.Ret.Value.String(), "0"
}

var presetPeers = []presetPeer{
	{"opensnoop.bt", "@opens", regexp.MustCompile(`^(\d+) +\S+ +(-?\d+) +(\d+) (.*)$`), func(c presetCall) []any {
		fd, errno := c.result()
		return []any{fd, errno, c.arg(0)}
	}, nil, false},
	{"execsnoop.bt", "@exec", regexp.MustCompile(`^\d+ +(\d+) +(\S+)`), func(c presetCall) []any {
		return []any{c.arg(0)}
	}, nil, false},
	{"killsnoop.bt", "@signals", regexp.MustCompile(`^\S+ +(\d+) +\S+ +(\d+) +(\d+) +(-?\d+)`), func(c presetCall) []any {
		return []any{c.arg(1), c.arg(0), c.Ret.Value}
	}, nil, false},
	// The preset shows the file of an fsync, too, in a line of its own.
	{"syncsnoop.bt", "@fsync", regexp.MustCompile(`^\S+ +(\d+) +\S+ +tracepoint:syscalls:sys_enter_(\w+)`), func(c presetCall) []any {
		_, call, ok := strings.Cut(c.Func, "sys_")
		if !ok {
			return nil
		}
		return []any{call}
	}, nil, false},
	{"capable.bt", "@cap", regexp.MustCompile(`^\S+ +(\d+) +(\d+) +\S+ +(\d+)`), func(c presetCall) []any {
		return []any{c.arg(1), c.arg(0)}
	}, func(row []string) []string { return []string{row[1], row[0], row[2]} }, false},
	{"tcpconnect.bt", "@tcpconnect", regexp.MustCompile(`^\S+ (\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+)`), func(c presetCall) []any {
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3)}
	}, nil, false},
	{"tcpaccept.bt", "@tcpaccept", regexp.MustCompile(`^\S+ (\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+)`), func(c presetCall) []any {
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3)}
	}, nil, false},
	// Whether a connection was made before the trace, tsnoop shows, too.
	{"tcplife.bt", "@tcplife", regexp.MustCompile(`^(\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+) +(\d+) +(\d+) +(\d+)$`), func(c presetCall) []any {
		lasted, err := countOf(c.arg(6))
		sent, _ := countOf(c.arg(4))
		received, _ := countOf(c.arg(5))
		if err != nil {
			return nil
		}
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3), sent >> 10, received >> 10, lasted / 1e6}
	}, nil, true},
}

// anybody stands for the process in rows that may be of another.
const anybody = "-"

// countOf is a value that JSON has as one.
func countOf(v any) (int64, error) {
	n, _ := v.(json.Number)
	return n.Int64()
}

// TestBenchPresets compares what presets show with what the tools show that they are
// named after.
func TestBenchPresets(t *testing.T) {
	for _, peer := range presetPeers {
		t.Run(peer.tool, peer.compare)
	}
}

func (p presetPeer) compare(t *testing.T) {
	script, err := exec.LookPath(p.tool)
	if err != nil {
		t.Skipf("%s is not in this machine", p.tool)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command("bpftrace", "-B", "line", "-I", headers(t), script)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	defer cmd.Process.Kill()
	if !attached(t, out.Name(), done) {
		said, _ := os.ReadFile(out.Name())
		t.Skipf("%s does not work here:\n%s", p.tool, said)
	}
	tr := startTrace(t, "--json", p.preset)
	pids := presetPrograms(t)
	tr.end()
	untilQuiet(t, out)
	cmd.Process.Signal(os.Interrupt)
	<-done

	theirs, ours := p.rows(t, out.Name(), pids), p.calls(t, tr.out, pids)
	if len(theirs) == 0 {
		t.Fatal("the tool has seen nothing of the programs")
	}
	if p.lasts {
		theirs, ours = sameTimes(t, theirs, ours)
	}
	if !slices.Equal(theirs, ours) {
		t.Errorf("%s shows\n\t%s\n%s\n\t%s", p.tool, strings.Join(theirs, "\n\t"), p.preset, strings.Join(ours, "\n\t"))
	}
	fmt.Printf("%-14s %-12s %d rows, the same\n", p.tool, p.preset, len(theirs))
}

// sameTimes compares the last column, ms, and returns the others. The tool counts from the
// first packet, tsnoop and bcc's tool from the last of a handshake.
func sameTimes(t *testing.T, theirs, ours []string) (_, _ []string) {
	const handshake = 1000 // ms, on an emulated machine
	var ms [2][]int
	for i, rows := range [][]string{theirs, ours} {
		for j, row := range rows {
			at := strings.LastIndexByte(row, ' ')
			n, _ := strconv.Atoi(row[at+1:])
			ms[i], rows[j] = append(ms[i], n), row[:at]
		}
	}
	for i := range min(len(theirs), len(ours)) {
		if early := ms[0][i] - ms[1][i]; theirs[i] == ours[i] && (early < -1 || early > handshake) {
			t.Errorf("%s: %d ms, tsnoop shows %d", theirs[i], ms[0][i], ms[1][i])
		}
		t.Logf("%s: %d ms, tsnoop shows %d", theirs[i], ms[0][i], ms[1][i])
	}
	return theirs, ours
}

// headers is a directory with what the tools include, of which they need two numbers.
func headers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"linux/types.h": "", "sys/socket.h": "#define AF_INET 2\n#define AF_INET6 10\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// attached waits until a tool has printed its heading, and then a while.
func attached(t *testing.T, name string, done chan error) bool {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		select {
		case <-done:
			return false
		default:
		}
		if b, err := os.ReadFile(name); err == nil && (bytes.Contains(b, []byte("PID")) || bytes.Contains(b, []byte("Tracing"))) {
			time.Sleep(3 * time.Second)
			return true
		}
	}
	return false
}

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
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		four, _ := os.ReadFile("/proc/net/tcp")
		six, _ := os.ReadFile("/proc/net/tcp6")
		if bytes.Contains(append(four, six...), []byte(":15B3 ")) {
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

// rows are what the tool shows of the processes.
func (p presetPeer) rows(t *testing.T, name string, pids []string) (rows []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		m := p.row.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		m = m[1:]
		if p.theirs != nil {
			m = p.theirs(m)
		}
		if p.lasts {
			m[0] = anybody
		}
		if m[0] == anybody || slices.Contains(pids, m[0]) {
			rows = append(rows, strings.Join(m, " "))
		}
	}
	slices.Sort(rows)
	return rows
}

// calls are what tsnoop shows of the processes.
func (p presetPeer) calls(t *testing.T, name string, pids []string) (rows []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	for d.More() {
		var c presetCall
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		pid := fmt.Sprint(c.Tid)
		if p.lasts {
			pid = anybody
		}
		if c.Func == "" || pid != anybody && !slices.Contains(pids, pid) {
			continue
		}
		if row := p.ours(c); row != nil {
			rows = append(rows, strings.TrimSpace(fmt.Sprintln(append([]any{pid}, row...)...)))
		}
	}
	slices.Sort(rows)
	return rows
}
