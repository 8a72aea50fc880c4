package proc

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"os"
	"strconv"
	"strings"
)

// UserEnd returns an address after the memory that programs get unless they ask for
// addresses beyond 47 or 48 bits, but not after what the kernel accepts as user memory.
func UserEnd() (uint64, error) {
	f, err := os.Open("/proc/self/stat")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return ParseUserEnd(f)
}

// ParseUserEnd parses /proc/self/stat. The stack begins in the upper half of the user
// address space, whose size is a power of two; x86 omits its last page. See proc(5).
func ParseUserEnd(r io.Reader) (uint64, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return 0, err
	}
	const startstack, page = 28, 4096
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // the fields after the second
	if len(fields) < startstack-2 {
		return 0, fmt.Errorf("/proc/self/stat: %d fields", len(fields)+2)
	}
	at, err := strconv.ParseUint(fields[startstack-3], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/self/stat: %w", err)
	}
	if at == 0 {
		return 0, fmt.Errorf("/proc/self/stat does not show where the stack is")
	}
	return 1<<bits.Len64(at) - page, nil
}
