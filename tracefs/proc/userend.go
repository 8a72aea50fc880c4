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

// UserEnd is an address behind the memory that programs get unless they ask for
// addresses beyond 47 or 48 bits, and not behind what the kernel takes for a
// program's.
func UserEnd() (uint64, error) {
	f, err := os.Open("/proc/self/stat")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return ParseUserEnd(f)
}

// ParseUserEnd parses /proc/self/stat. The stack begins in the upper half of what
// there is, a power of two, of which x86 leaves out a page. See proc(5).
func ParseUserEnd(r io.Reader) (uint64, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return 0, err
	}
	const startstack, page = 28, 4096
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // behind the second
	if len(fields) < startstack-2 {
		return 0, fmt.Errorf("/proc/self/stat: %d fields", len(fields)+2)
	}
	at, err := strconv.ParseUint(fields[startstack-3], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/self/stat: %w", err)
	}
	if at == 0 {
		return 0, fmt.Errorf("/proc/self/stat does not tell where the stack is")
	}
	return 1<<bits.Len64(at) - page, nil
}
