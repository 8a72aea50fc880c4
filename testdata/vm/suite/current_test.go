//go:build vm

package suite

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestVMCurrent has threads on both CPUs call at once, which also go from one CPU to the other:
// what is fetched of the CPU, and of the task that runs there, is that of the call. It is so in
// a recording, which conditions have chosen from.
func TestVMCurrent(t *testing.T) {
	const n, threads = 50, 3
	file := filepath.Join(t.TempDir(), "recorded")
	const fields = "offset, pid=$current->pid, comm=$current->comm, curr=this_cpu(runqueues).curr->pid, cpu=this_cpu(runqueues).cpu, first=per_cpu(runqueues, 0).cpu, rq=&this_cpu(runqueues)"
	fixed := prepare(t, "crew", "@", strconv.Itoa(n), "0", "1")
	free := prepare(t, "seeks", "@", strconv.Itoa(n), strconv.Itoa(threads), "1")
	tr := startTrace(t, "record", "-o", file, "-p", fixed.pid+","+free.pid,
		"generic_file_llseek("+fields+", return)",
		"generic_file_llseek(second=offset, pid=$current->pid) if this_cpu(runqueues).cpu == 1 && $current->tgid == "+fixed.pid)
	fixed.run()
	free.run()
	tr.end()
	var out strings.Builder
	cmd := exec.Command("tsnoop", "replay", "--json", file)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	perCPU := [2]map[string]int{{}, {}}
	all, chosen := 0, 0
	for s := bufio.NewScanner(strings.NewReader(out.String())); s.Scan() && !t.Failed(); {
		c := callOf(t, s.Bytes())
		if c == nil {
			continue
		}
		want := map[string]string{"pid": strconv.Itoa(c.TID)}
		if _, second := c.values["second"]; second {
			if chosen++; c.CPU != 1 {
				t.Errorf("the condition lets pass: %s", s.Text())
			}
		} else {
			all++
			want["comm"], want["curr"], want["cpu"], want["first"] = "load", want["pid"], strconv.Itoa(c.CPU), "0"
			perCPU[c.CPU][c.values["rq"]]++
			if c.Ret == nil {
				t.Errorf("no return: %s", s.Text())
			}
		}
		for name, value := range want {
			if c.values[name] != value {
				t.Errorf("%s is %s, want %s: %s", name, c.values[name], value, s.Text())
			}
		}
	}
	if t.Failed() {
		t.Fatal(tr.said())
	}
	if all != n*(2+threads) || chosen != n {
		t.Errorf("%d calls, of which %d were chosen, want %d and %d\n%s", all, chosen, n*(2+threads), n, tr.said())
	}
	if len(perCPU[0]) != 1 || len(perCPU[1]) != 1 || fmt.Sprint(perCPU[0]) == fmt.Sprint(perCPU[1]) {
		t.Errorf("run queues of the CPUs: %v", perCPU)
	}
}

// A cpuCall is a call as --json writes it.
type cpuCall struct {
	CPU, TID int
	Args     []struct {
		Name  string
		Value any
	}
	Ret    any
	values map[string]string
}

// callOf parses a line of --json; it returns nil if the line is not a call.
func callOf(t *testing.T, line []byte) *cpuCall {
	t.Helper()
	var c cpuCall
	d := json.NewDecoder(strings.NewReader(string(line)))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	c.values = map[string]string{}
	for _, a := range c.Args {
		c.values[a.Name] = fmt.Sprint(a.Value)
	}
	if len(c.Args) == 0 {
		return nil
	}
	return &c
}
