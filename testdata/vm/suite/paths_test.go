//go:build vm

package suite

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestVMPaths compares the paths of 200 files below random mounts with those that
// readlink(2) of /proc/self/fd/N has.
func TestVMPaths(t *testing.T) {
	const files = 200
	const fGetOwn = "9"
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	if out, err := exec.Command("insmod", "/lib/modules/tsnoop/overlay.ko").CombinedOutput(); err != nil && !strings.Contains(string(out), "File exists") {
		t.Fatalf("overlay: %s", out)
	}
	names := filepath.Join(t.TempDir(), "names")
	cmd := exec.Command("tsnoop", "--json", "security_file_fcntl(arg, file:path) if cmd == "+fGetOwn, "--",
		"load", "paths", names, strconv.FormatUint(seed, 10), strconv.Itoa(files))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(names)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(b)), "\n")
	shown, cut := 0, 0
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, origin) {
			continue
		}
		var call struct {
			Args []struct{ Value any }
		}
		if err := json.Unmarshal([]byte(line), &call); err != nil || len(call.Args) != 2 {
			t.Fatalf("%v: %s", err, line)
		}
		n, _ := call.Args[0].Value.(float64)
		got, _ := call.Args[1].Value.(string)
		name, _ := strconv.Unquote(want[int(n)])
		rest, isCut := strings.CutPrefix(got, "...")
		if shown++; isCut {
			cut++
		}
		switch {
		case !isCut && got == name:
		case isCut && strings.HasPrefix(rest, ":[") && strings.HasSuffix(name, rest): // a namespace
		case isCut && strings.HasSuffix(name, rest) && strings.HasPrefix(rest, "/") && strings.Count(name, "/") > 3 && strings.Count(rest, "/") >= 2:
		default:
			t.Errorf("file %v is shown as\n%s, not\n%s", n, got, name)
		}
	}
	t.Logf("%d of %d paths have their beginning", shown-cut, shown)
	if shown != files || len(want) != files {
		t.Errorf("%d files are shown, %d were opened, want %d", shown, len(want), files)
	}
}
