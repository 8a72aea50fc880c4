package tracefs

import (
	"errors"
	"strings"
)

// Longest fetcharg that the kernel accepts, in bytes: MAX_ARGSTR_LEN in
// kernel/trace/trace_probe.h, of older kernels and since 7.3.
const (
	shortArg = 63
	longArg  = 255
)

// LongestArg finds out how long a fetcharg may be, in bytes. No file says so, and a
// kernel version would be a guess. So it tries to define an impossible probe: at an
// address where there is no code, with a register whose name is that long. A kernel
// that accepts the length complains about the register, any other about the length. The
// probe never exists, so nobody else sees it, except for a line in error_log.
func (fs *FS) LongestArg() int {
	w := probeWriter{file: KprobeEvents}
	defer w.close()
	const group, event = "tsnoop", "longest"
	err := w.change(fs, "p:"+group+"/"+event+" 0x1 v=%"+strings.Repeat("x", longArg-1))
	if err == nil {
		w.change(fs, removal(group, event))
		return shortArg
	}
	var refused *KernelError
	if errors.As(err, &refused) && strings.Contains(refused.Text, "register name") {
		return longArg
	}
	return shortArg
}
