package text

import (
	"bytes"
	"strings"
)

// Symbols gives the functions that a text names addresses, for the text has none:
// those that no machine has.
type Symbols struct {
	addrs map[string]uint64
	names []string // "vfs_read", "ext4_sync_fs [ext4]"
}

const (
	symbolBase  = uint64(1) << 63 // neither in user memory nor in the kernel's
	symbolShift = 32
	symbolStart = 1 << 31 // so that what is before a function is no other
	maxSymbols  = 1 << 20
)

// addr returns the address of the function of that name, 0 if there are too many.
// behind is what stands behind the name and the offset.
func (s *Symbols) addr(name, behind []byte) uint64 {
	if module, ok := moduleIn(behind); ok {
		name = append(append(append([]byte(nil), name...), ' '), module...)
	}
	if addr, ok := s.addrs[string(name)]; ok {
		return addr
	}
	// "[unknown/kretprobe'd]" is no function.
	if len(name) == 0 || name[0] == '[' || len(s.names) == maxSymbols {
		return 0
	}
	if s.addrs == nil {
		s.addrs = make(map[string]uint64)
	}
	s.names = append(s.names, string(name))
	addr := symbolBase | uint64(len(s.names))<<symbolShift | symbolStart
	s.addrs[string(name)] = addr
	return addr
}

// moduleIn finds "[ext4]".
func moduleIn(s []byte) ([]byte, bool) {
	_, rest, ok := bytes.Cut(s, []byte("["))
	module, _, closed := bytes.Cut(rest, []byte("]"))
	return module, ok && closed && len(module) > 0
}

// Name tells which function is at an address, how many bytes behind its start, and
// of which module it is.
func (s *Symbols) Name(addr uint64) (name, module string, off uint64, ok bool) {
	i := int(addr&^symbolBase>>symbolShift) - 1
	low := addr & (1<<symbolShift - 1)
	if addr < symbolBase || i < 0 || i >= len(s.names) || low < symbolStart {
		return "", "", 0, false
	}
	name, module, _ = strings.Cut(s.names[i], " ")
	return name, module, low - symbolStart, true
}
