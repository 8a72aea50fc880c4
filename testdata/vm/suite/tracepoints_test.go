//go:build vm

package suite

import (
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

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// loadedSystems are systems that the load of TestTrustTracepoints reaches.
var loadedSystems = []string{"net", "sched", "signal", "skb", "task"}

// TestTrustTracepoints plans every tracepoint of the kernel, in "make test" only those of some
// systems, records all of them at once under a load, and compares each value of those that fire
// with the raw field that trace-cmd finds in the same recording.
func TestTrustTracepoints(t *testing.T) {
	least, load := size(10, 40), "ping -c 1 127.0.0.1; load seek 1 2 3; true | cat; sleep 0.05"
	specs, systems := everyTracepoint(t)
	if least == 10 {
		isOther := func(s string) bool {
			system, _, _ := strings.Cut(s, ":")
			return !slices.Contains(loadedSystems, system)
		}
		specs, systems = slices.DeleteFunc(specs, isOther), slices.DeleteFunc(systems, isOther)
	} else {
		load += "; load opens 9 0 0; dd if=/proc/kallsyms of=/tmp/t bs=64k count=9; mount -t tmpfs t /mnt; umount /mnt"
	}
	planEach(t, specs)
	if _, err := exec.LookPath("trace-cmd"); err != nil {
		t.Skip("needs trace-cmd: ", err)
	}
	file := filepath.Join(t.TempDir(), "all.dat")
	args := append([]string{"record", "-b", "16M", "-o", file}, systems...)
	if out, err := exec.Command("tsnoop", append(args, "--", "sh", "-c", load)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	replay := exec.Command("tsnoop", "replay", "--json", "--zeros", file)
	replay.Stderr = os.Stderr
	out, err := replay.Output()
	if err != nil {
		t.Fatal(err)
	}
	raw, fired, values := rawEvents(t, file), map[string]bool{}, 0
	for line := range bytes.Lines(out) {
		var c shownEvent
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if c.Func == "" {
			continue
		}
		key := c.keyIn(raw)
		if key == "" {
			t.Errorf("trace-cmd does not show %s", line)
			continue
		}
		fired[c.Func] = true
		values += c.compare(t, raw[key][0])
		raw[key] = raw[key][1:]
	}
	t.Logf("%d tracepoints planned, all of %d systems recorded, %d fired, %d values compared", len(specs), len(systems), len(fired), values)
	if len(fired) < least || values < 50*least {
		t.Errorf("only %d tracepoints fired, with %d values", len(fired), values)
	}
}

// compare compares the values of an event with what trace-cmd shows of its fields. It returns
// how many there were.
func (e *shownEvent) compare(t *testing.T, fields string) (values int) {
	for _, a := range e.Args {
		if _, far := fieldIn(fields, a.Name+"_ptr"); far {
			continue // text at a pointer, which trace-cmd shows wrongly if it is empty
		}
		text, ok := fieldIn(fields, a.Name)
		if !ok { // a probe of tsnoop's has another name for it, if its own name is taken
			text, ok = fieldIn(fields, "task_"+a.Name)
		}
		values++
		switch {
		case !ok:
			t.Errorf("%s: trace-cmd does not show %s: %s", e.Func, a.Name, fields)
		case !isRaw(a.Value, text) && !isSymbol(a.Text, text):
			t.Errorf("%s: %s=%v %s, trace-cmd %q in %s", e.Func, a.Name, a.Value, a.Text, text, fields)
		}
	}
	return values
}

// everyTracepoint returns a spec for each event of the kernel's own, and for all of each system.
func everyTracepoint(t *testing.T) (specs, systems []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(tracing, "events/*/*/enable"))
	if err != nil || len(files) < 500 {
		t.Fatalf("%d tracepoints, %v", len(files), err)
	}
	for _, file := range files {
		event := filepath.Dir(file)
		system := filepath.Base(filepath.Dir(event))
		if spec := system + ":" + filepath.Base(event); spec != tracefs.NewTaskEvent { // tsnoop refuses it
			specs = append(specs, spec)
		}
		if all := system + ":*"; !slices.Contains(systems, all) {
			systems = append(systems, all)
		}
	}
	return specs, systems
}

// planEach plans each spec, and looks whether all fields of the event's format are in the plan.
func planEach(t *testing.T, specs []string) {
	t.Helper()
	fs, err := tracefs.At(tracing)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := host.New(fs).Plan(specs, host.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range plans {
		b, err := os.ReadFile(filepath.Join(tracing, "events", strings.Replace(specs[i], ":", "/", 1), "format"))
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, f := range p.Probes[0].Fields {
			shown = append(shown, f.Label)
		}
		for _, m := range regexp.MustCompile(`field:.*?([a-zA-Z_]\w*)(\[.*\])?;\toffset`).FindAllSubmatch(b, -1) {
			name := string(m[1])
			if !strings.HasPrefix(name, "common_") && !strings.HasPrefix(name, "__") && !slices.Contains(shown, name) {
				t.Errorf("%s: %s is not among %q", specs[i], name, shown)
			}
		}
	}
}

type shownEvent struct {
	Time uint64 `json:"ts_ns"`
	CPU  int    `json:"cpu"`
	Func string `json:"func"`
	Args []struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
		Text  string `json:"text"`
	} `json:"args"`
}

// keyIn returns the key of the event in raw, "" if there is none. A record of tsnoop's
// probe also has the name of the system.
func (e *shownEvent) keyIn(raw map[string][]string) string {
	_, name, _ := strings.Cut(e.Func, ":")
	for _, name := range []string{name, strings.Replace(e.Func, ":", "_", 1)} {
		if key := fmt.Sprintf("%d %d %s", e.CPU, e.Time, name); len(raw[key]) > 0 {
			return key
		}
	}
	return ""
}

// rawEvents returns what trace-cmd shows of each event's fields, by CPU, time and name.
func rawEvents(t *testing.T, file string) map[string][]string {
	t.Helper()
	out, err := exec.Command("trace-cmd", "report", "-R", "-t", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	event := regexp.MustCompile(`(?m)^ *.*?-\d+ +\[(\d+)\] +(?:\S+ +)?(\d+)\.(\d{9}): ([^\s:]+): +(.*)$`)
	raw := map[string][]string{}
	for _, m := range event.FindAllStringSubmatch(string(out), -1) {
		cpu, _ := strconv.Atoi(m[1])
		sec, _ := strconv.ParseUint(m[2], 10, 64)
		ns, _ := strconv.ParseUint(m[3], 10, 64)
		key := fmt.Sprintf("%d %d %s", cpu, sec*1e9+ns, m[4])
		raw[key] = append(raw[key], " "+m[5])
	}
	return raw
}

// fieldIn returns the value of a field in " NAME=VALUE NAME=VALUE".
func fieldIn(fields, name string) (string, bool) {
	_, rest, ok := strings.Cut(fields, " "+name+"=")
	if next := regexp.MustCompile(` [a-zA-Z_]\w*=`).FindStringIndex(rest); next != nil {
		rest = rest[:next[0]]
	}
	return rest, ok
}

// isRaw reports whether a value of JSON is that of trace-cmd: a number, text, or the bytes of
// an array.
func isRaw(value any, raw string) bool {
	raw = strings.TrimSpace(raw)
	switch v := value.(type) {
	case json.Number:
		return isRawNumber(v.String(), raw)
	case bool:
		return raw == map[bool]string{true: "1", false: "0"}[v]
	case string:
		return v == raw || strings.HasPrefix(v, "0x") && isRawNumber(v, raw)
	case []any:
		list, ok := strings.CutPrefix(raw, "ARRAY[")
		if !ok { // zeros are text without a character
			return raw == "" && !slices.ContainsFunc(v, func(x any) bool { return x != json.Number("0") })
		}
		var data []byte
		for word := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ", ") {
			b, err := strconv.ParseUint(word, 16, 8)
			if err != nil {
				return false
			}
			data = append(data, byte(b))
		}
		return areRaw(v, data)
	}
	return false
}

// isSymbol reports whether an address is named as trace-cmd does, which leaves out an offset of 0
// or, where the print fmt does, any.
func isSymbol(text, raw string) bool {
	name, _, _ := strings.Cut(text, "+")
	raw, _, _ = strings.Cut(strings.TrimSpace(raw), " [")
	rawName, offset, _ := strings.Cut(raw, "+")
	return name != "" && rawName == name && (offset == "" || offset == "0x0" || strings.HasPrefix(text, raw))
}

func areRaw(list []any, data []byte) bool {
	if len(list) == 0 || len(data)%len(list) != 0 {
		return len(data) == 0
	}
	size := len(data) / len(list)
	for i, v := range list {
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		var x uint64
		for j, b := range data[i*size : (i+1)*size] {
			x |= uint64(b) << (8 * j)
		}
		if got, ok := rawNumber(n.String(), 10); !ok || (got^x)<<(64-8*size) != 0 {
			return false
		}
	}
	return true
}

// isRawNumber reports whether numbers are the same, of which trace-cmd writes some in hexadecimal
// and some without their sign.
func isRawNumber(a, raw string) bool {
	x, ok := rawNumber(a, 10)
	for _, base := range []int{10, 16} {
		if y, is := rawNumber(raw, base); ok && is && (x == y || uint32(x) == uint32(y) && y>>32 == 0 && int64(x) < 0) {
			return true
		}
	}
	return false
}

func rawNumber(text string, base int) (uint64, bool) {
	if text == "(nil)" {
		return 0, true
	}
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		text, base = hex, 16
	}
	if n, err := strconv.ParseInt(text, base, 64); err == nil {
		return uint64(n), true
	}
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil
}
