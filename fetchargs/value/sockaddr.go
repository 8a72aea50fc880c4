package value

// Families of socket addresses, the same on every machine (include/linux/socket.h).
const (
	FamilyUnspec  = 0
	FamilyUnix    = 1
	FamilyInet    = 2
	FamilyInet6   = 10
	FamilyNetlink = 16
)

// A socket address is read at the greatest length that it may have, but a program's own
// may be shorter and end where its memory ends. So if its first bytes could be read, what
// is on the same page is believed.

// beginning returns how many bytes of f, an array guarded by g at addr, are on the page of
// the first bytes, if these could be read and others could not. Otherwise it returns 0.
func (d *Decoder) beginning(f *Field, g *PointerCheck, addr uint64, data []byte) int {
	if g.Head == nil || f.Encoding != Array {
		return 0
	}
	if _, bad := d.doubt(g.Head, addr, data); bad {
		return 0
	}
	at := addr + uint64(g.Head.From)
	n := int(checkPage - at%checkPage)
	n -= n % f.Size // so many bytes are read at once
	if n >= f.Size*f.Count {
		return 0
	}
	return n
}

// isWholeSockAddr reports whether b, the beginning of a socket address, has all of it.
// bound says that its length is known, to which an abstract name goes.
func isWholeSockAddr(b []byte, big, bound bool) bool {
	if len(b) < 2 {
		return false
	}
	switch Load(b[:2], big) {
	case FamilyUnspec:
		return true
	case FamilyInet:
		return len(b) >= 8
	case FamilyInet6:
		return len(b) >= 28
	case FamilyNetlink:
		return len(b) >= 12
	case FamilyUnix: // an abstract name has a NUL before it
		path := b[2:]
		return len(path) > 1 && (!bound || path[0] != 0) && len(UntilNUL(path[1:])) < len(path)-1
	}
	return false
}

// IsCut reports whether v is only the beginning of what is in memory.
func (v *Value) IsCut() bool { return v.Kind == Bytes && v.Reason&^OldMemory != 0 }
