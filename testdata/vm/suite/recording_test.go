//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// recorded are the specs of the recording that TestReplayed shows, and what is
// recorded is what this load does.
var (
	recorded = []string{
		"generic_file_llseek(file->f_inode->i_sb->s_type->name, offset, ino=((struct inode *)offset)->i_ino, return)",
		`do_sys_openat2(filename, return) if filename ~ "/tmp/known*"`,
		`vfs_open(path->dentry->d_name.name, return) if path->dentry->d_name.name == "known"`,
	}
	recordedLoad = `load name recorded on 0 seek 42 -7 0
		load times 5 open /tmp/known.not
		load times 3 open /tmp/known/under
		load open /tmp/known`
)

// TestVMRecording makes a recording of known calls. It leaves this host by /out.
func TestVMRecording(t *testing.T) {
	if err := os.WriteFile("/tmp/known", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dir := "/out"
	if _, err := os.Stat(dir); err != nil {
		dir = t.TempDir()
	}
	file := filepath.Join(dir, "trace.dat")
	args := append([]string{"record", "-k", "-f", "-o", file}, recorded...)
	out, err := exec.Command("tsnoop", append(args, "--", "sh", "-c", recordedLoad)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The parts that do not depend on the events are small.
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	size := fmt.Sprintf(", %d KiB, 0 lost", (info.Size()+1023)/1024)
	if info.Size() > 300<<10 || !strings.Contains(string(out), size) {
		t.Errorf("%d bytes, reported was %s", info.Size(), out)
	}
	nothingLeft(t)
}

// TestReplayed runs the scripts of testdata/replayed on any machine: $FILE is the
// recording that TestVMRecording has made on some kernel. Besides start's, which
// need a kernel, they have
//
//	screen ARGS...   run tsnoop ARGS with a terminal for stdout; out is what it shows
//	lines N FILE RE  check that exactly N lines of FILE match
func TestReplayed(t *testing.T) {
	file := os.Getenv("TSNOOP_LEFT")
	if file == "" {
		t.Fatal("TSNOOP_LEFT must name the recording that TestVMRecording has made")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/replayed",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"screen": screen,
			"lines":  lines,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("FILE", file)
			return nil
		},
	})
}

// screen is exec with a pseudo-terminal.
func screen(ts *testscript.TestScript, neg bool, args []string) {
	master, slave, err := openTerminal()
	ts.Check(err)
	defer master.Close()
	cmd := exec.Command("tsnoop", args...)
	cmd.Stdout = slave
	cmd.Env = append(os.Environ(), "NO_COLOR="+ts.Getenv("NO_COLOR"))
	ts.Check(cmd.Start())
	slave.Close()
	var shown []byte
	for b := make([]byte, 4096); ; {
		n, err := master.Read(b)
		shown = append(shown, b[:n]...)
		if err != nil { // nobody has the other end any more
			break
		}
	}
	ts.Check(cmd.Wait())
	ts.Check(os.WriteFile(ts.MkAbs("out"), shown, 0o644))
}
