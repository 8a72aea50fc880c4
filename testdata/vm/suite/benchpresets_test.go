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
	row          *regexp.Regexp              // of the tool: the process first, and what is compared
	ours         func(presetCall) []any      // the same of a call, after the process; nil if it is not compared
	theirs       func([]string) []string     // of a row, where words are others or it is not compared (nil); nil if not
	anyone       bool                        // the process may be another
	lasts        bool                        // the last column is ms
	load         func(t *testing.T) []string // runs programs and returns their processes; nil for presetPrograms
}

// A presetCall is a line of tsnoop's.
type presetCall struct {
	Tid     int
	Func    string
	Args    []presetValue
	Ret     struct{ Value json.Number }
	RetArgs []presetValue `json:"ret_args"`
}

type presetValue struct {
	Value any
	Text  string
}

// text is what arg is, as a line of text has it.
func (c presetCall) text(i int) string {
	v := append(c.Args, c.RetArgs...)[i]
	if v.Text != "" {
		return v.Text
	}
	return fmt.Sprint(v.Value)
}

// arg is the value of the argument of that place, those of the return after those of the
// entry.
func (c presetCall) arg(i int) any { return append(c.Args, c.RetArgs...)[i].Value }

// result is what opensnoop makes of what was returned: a descriptor and an error.
func (c presetCall) result() (fd, errno string) {
	if failed, ok := strings.CutPrefix(c.Ret.Value.String(), "-"); ok {
		return "-1", failed
	}
	return c.Ret.Value.String(), "0"
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
		t.Skipf("%s is not in this virtual machine", p.tool)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(script)
	if strings.HasSuffix(p.tool, ".bt") {
		cmd = exec.Command("bpftrace", "-B", "line", "-I", headers(t), script)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	defer cmd.Process.Kill()
	if !attached(cmd.Process.Pid, done) {
		said, _ := os.ReadFile(out.Name())
		t.Skipf("%s does not work here:\n%s", p.tool, said)
	}
	load := p.load
	if load == nil {
		load = presetPrograms
	}
	tr := startTrace(t, "--json", p.preset)
	pids := load(t)
	tr.end()
	untilQuiet(t, out)
	cmd.Process.Signal(os.Interrupt)
	select {
	case <-done:
	case <-time.After(patience):
		cmd.Process.Kill()
		t.Fatalf("%s does not end", p.tool)
	}

	theirs, ours := p.rows(t, out.Name(), pids, fmt.Sprint(tr.cmd.Process.Pid)), p.calls(t, tr.out, pids)
	if len(theirs) == 0 {
		t.Fatal("the tool has seen nothing of the programs")
	}
	if p.lasts {
		theirs, ours = sameTimes(t, theirs, ours)
	}
	if !slices.Equal(theirs, ours) {
		t.Errorf("%s shows\n\t%s\n%s\n\t%s", p.tool, strings.Join(theirs, "\n\t"), p.preset, strings.Join(ours, "\n\t"))
	}
	if !t.Failed() {
		fmt.Printf("%-14s %-12s %d rows, the same\n", p.tool, p.preset, len(theirs))
	}
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

// attached waits until a tool has programs in the kernel, and then a while: it loads them
// one by one. Its output may be held back.
func attached(pid int, done chan error) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		select {
		case <-done:
			return false
		default:
		}
		open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range open {
			if to, _ := os.Readlink(fd); to == "anon_inode:[perf_event]" || to == "anon_inode:bpf_link" {
				time.Sleep(5 * time.Second)
				return len(done) == 0
			}
		}
	}
	return false
}

// rows are what the tool shows of the processes. Interrupts of tsnoop itself are not
// traced.
func (p presetPeer) rows(t *testing.T, name string, pids []string, own string) (rows []string) {
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
		if m = m[1:]; p.anyone && m[0] == own {
			t.Logf("while tsnoop runs: %s", s.Text())
			continue
		}
		if p.theirs != nil {
			if m = p.theirs(m); m == nil {
				continue
			}
		}
		if p.anyone {
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
		if p.anyone {
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
