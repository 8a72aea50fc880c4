package live

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"golang.org/x/sys/unix"
)

// TestNeverRan: the signal that ended the trace is the program's status, also if it arrives
// later than the trace has ended.
func TestNeverRan(t *testing.T) {
	var said strings.Builder
	p := &program{name: "touch", signals: make(chan os.Signal, 1)}
	time.AfterFunc(10*time.Millisecond, func() { p.signals <- unix.SIGTERM })
	if err := p.neverRan(&terminal.UI{Stderr: &said}); err != terminal.ExitStatus(143) {
		t.Errorf("%v instead of exit status 143", err)
	}
	if said.String() != "tsnoop: touch was not run: terminated\n" {
		t.Errorf("%q", said.String())
	}
}
