package tracefs

import (
	"errors"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// What the kernel takes as one fetcharg, in bytes: MAX_ARGSTR_LEN of
// kernel/trace/trace_probe.h, in older kernels and since 7.3.
const (
	shortArg = 63
	longArg  = 255
)

// LongestArg finds out how long a fetcharg may be, in bytes. No file tells, and a
// version would be a guess. So a probe that cannot be is offered: at an address
// where there is no code, of a register of so long a name. A kernel that takes so
// much complains of the register, any other of the length. Nothing becomes of
// the probe, so that nobody else sees it, but for a line in error_log.
func (fs *FS) LongestArg() int {
	w := probeWriter{file: dynevent.Kprobe.File()}
	defer w.close()
	const group, event = "tsnoop", "longest"
	err := w.change(fs, dynevent.Kprobe.Head(group, event, 0)+" 0x1 v=%"+strings.Repeat("x", longArg-1))
	if err == nil {
		w.change(fs, dynevent.Removal(group, event))
		return shortArg
	}
	var refused *KernelError
	if errors.As(err, &refused) && strings.Contains(refused.Text, "register name") {
		return longArg
	}
	return shortArg
}
