//go:build vm

package suite

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// checkSteps compares the offsets of members with pahole's. Where pahole does not run,
// they leave the machine by /out, with the BTF that they are of, for TestOffsetsHere.
func checkSteps(t *testing.T, exprs []*expression) {
	var steps []step
	for _, e := range exprs {
		for _, s := range e.steps {
			if s.of != "" { // pahole's structs are known by their names
				steps = append(steps, s)
			}
		}
	}
	if runtime.GOARCH == "amd64" {
		compareSteps(t, paholeLayouts(t), steps)
		return
	}
	if _, err := os.Stat("/out"); err != nil {
		t.Log("no /out: offsets are not compared with pahole's")
		return
	}
	var text bytes.Buffer
	for _, s := range steps {
		fmt.Fprintln(&text, s.of, s.member, s.bit)
	}
	types, err := os.ReadFile(btfFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"offsets": text.Bytes(), "offsets.btf": types} {
		if err := os.WriteFile(filepath.Join("/out", name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOffsetsHere compares the offsets that TestVMExpressions has left in a file with
// those that pahole of this host finds in the BTF beside it.
func TestOffsetsHere(t *testing.T) {
	file := os.Getenv("TSNOOP_LEFT")
	f, err := os.Open(file)
	if err != nil {
		t.Fatalf("TSNOOP_LEFT must name the file that TestVMExpressions has left: %v", err)
	}
	defer f.Close()
	var steps []step
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s step
		if _, err := fmt.Sscan(lines.Text(), &s.of, &s.member, &s.bit); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		steps = append(steps, s)
	}
	out, err := runPahole(file + ".btf")
	if err != nil {
		t.Fatal(err)
	}
	compareSteps(t, parsePahole(out), steps)
}

func compareSteps(t *testing.T, layouts map[string]layout, steps []step) {
	same := 0
	for _, s := range steps {
		m, known := layouts[s.of][s.member]
		if !known {
			continue
		}
		if at := m.offset*8 + m.bit; at != s.bit {
			t.Errorf("%s.%s is at bit %d, pahole says %d", s.of, s.member, s.bit, at)
		}
		same++
	}
	t.Logf("%d of %d steps through members have pahole's offsets", same, len(steps))
	if same < len(steps)/2 {
		t.Error("pahole knows too few of the members")
	}
}
