package text

import (
	"bytes"
	"strings"
)

// Symbols assigns addresses to the functions that a text names, since the text has
// none. No machine has these addresses.
type Symbols struct {
	addrs map[string]uint64
	names []string // "vfs_read", "ext4_sync_fs [ext4]"
}

const (
	symbolBase  = uint64(1) << 63 // neither user memory nor kernel memory
	symbolShift = 32
	symbolStart = 1 << 31 // so that an address before a function is not in another one
	maxSymbols  = 1 << 20
)

// addr returns the address of the function of that name, or 0 if there are too many.
// after is the text after the name and the offset.
func (s *Symbols) addr(name, after []byte) uint64 {
	if module, ok := moduleIn(after); ok {
		name = append(append(append([]byte(nil), name...), ' '), module...)
	}
	if addr, ok := s.addrs[string(name)]; ok {
		return addr
	}
	// "[unknown/kretprobe'd]" is not a function.
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

// moduleIn returns the module in text such as "[ext4]".
func moduleIn(s []byte) ([]byte, bool) {
	_, rest, ok := bytes.Cut(s, []byte("["))
	module, _, closed := bytes.Cut(rest, []byte("]"))
	return module, ok && closed && len(module) > 0
}

// Name returns the function at an address, its module, and the offset of the address in
// it, in bytes.
func (s *Symbols) Name(addr uint64) (name, module string, off uint64, ok bool) {
	i := int(addr&^symbolBase>>symbolShift) - 1
	low := addr & (1<<symbolShift - 1)
	if addr < symbolBase || i < 0 || i >= len(s.names) || low < symbolStart {
		return "", "", 0, false
	}
	name, module, _ = strings.Cut(s.names[i], " ")
	return name, module, low - symbolStart, true
}
