//go:build vm

package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTrustWitness does to the probe that counts faults what other programs may do, while a trace
// shows good objects and bad ones. A bad one is never shown. A good one is, unless the probe does not
// count: then it is not known to be good. The trace leaves no probe behind, and removes no other.
func TestTrustWitness(t *testing.T) {
	if os.Getenv("TSNOOP_VM_KERNEL") == "5.10" {
		t.Skip("it counts faults without a probe")
	}
	m := openMemory(t)
	good := m.symbol("init_task")
	task := m.word(good+offsetOf(t, "struct task_struct", "tasks")) - offsetOf(t, "struct task_struct", "tasks")
	bad := m.word(task+offsetOf(t, "struct task_struct", "stack")) - 4096 // before a stack, where no memory is
	tr := startTrace(t, "--json", "generic_file_llseek(*(struct dentry *)offset) if whence == 0")
	defined := func() string {
		b, err := os.ReadFile(filepath.Join(tracing, "kprobe_events"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	own := ""
	for line := range strings.Lines(defined()) {
		if def, found := strings.CutPrefix(line, "p:tsnoop_"); found && strings.Contains(line, "/witness ") {
			own = "tsnoop_" + strings.TrimSpace(def)
		}
	}
	name, place, _ := strings.Cut(own, " ")
	group, _, ok := strings.Cut(name, "/")
	if !ok {
		t.Fatalf("no witness in %s", defined())
	}
	calls := 0
	check := func(after string, counts bool) {
		t.Helper()
		seek := func(addr uint64) string {
			exec.Command("load", "seek", strconv.FormatInt(int64(addr), 10)).Run() // it fails
			calls++
			tr.await("a call "+after, func() bool { return tr.callLines() == calls })
			last := ""
			tr.lines(func(line []byte) {
				if strings.Contains(string(line), `"args":`) {
					last = string(line)
				}
			})
			return last
		}
		if got := seek(bad); !strings.Contains(got, `"fault"`) {
			t.Errorf("%s, a bad pointer: %s", after, got)
		}
		if got := seek(good); strings.Contains(got, `"fault"`) == counts {
			t.Errorf("%s, a good pointer: %s", after, got)
		}
	}
	put := func(file, text string) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(tracing, file), os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString(text + "\n")
			f.Close()
		}
		if err != nil {
			t.Errorf("%s > %s: %v", text, file, err)
		}
	}
	enable := "instances/" + group + "/events/" + name + "/enable"
	check("alone", true)
	put("kprobe_events", "p:other/same "+place)
	check("with another probe at its place", true)
	put("events/other/same/enable", "1")
	check("with another probe that is enabled", true)
	put(enable, "0")
	check("disabled, with another probe that is enabled", false)
	put(enable, "1")
	check("enabled again", true)
	put("events/other/same/enable", "0")
	check("with another probe that was disabled", true)
	put(enable, "0")
	check("disabled", false)
	put("kprobe_events", "-:"+name)
	check("removed", false)
	put("events/other/same/enable", "1")
	check("removed, with another probe that is enabled", false)
	tr.end()
	left := defined()
	put("events/other/same/enable", "0")
	put("kprobe_events", "-:other/same")
	if strings.Contains(left, "tsnoop_") || !strings.Contains(left, "other/same") {
		t.Errorf("left: %s", left)
	}
	if instances, _ := filepath.Glob(filepath.Join(tracing, "instances", "tsnoop_*")); len(instances) > 0 {
		t.Errorf("left: %q", instances)
	}
}
