//go:build !amd64 && !arm64

package tracee

import (
	"errors"

	"golang.org/x/sys/unix"
)

var doExecve []byte

func registers(int, *unix.PtraceRegs) error    { return errors.ErrUnsupported }
func setRegisters(int, *unix.PtraceRegs) error { return errors.ErrUnsupported }

func places(*unix.PtraceRegs) (sp, pc uint64, ok bool) { return 0, 0, false }

func setCall(*unix.PtraceRegs, uint64, uint64, uint64) {}
