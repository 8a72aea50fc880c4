package value

// Families of sockets, the same on every machine (include/linux/socket.h).
const (
	FamilyUnspec  = 0
	FamilyUnix    = 1
	FamilyInet    = 2
	FamilyInet6   = 10
	FamilyNetlink = 16
)

// The address of a socket is read at the full length that any may have, and a program's
// own may be shorter and end where its memory does. So what lies on the page of its
// first bytes is believed, if these could be read.

// beginning is how many bytes of f, an array behind g at addr, are on the page of the
// first ones, if they could be read and others could not; 0 otherwise.
func (d *Decoder) beginning(f *Field, g *Guard, addr uint64, data []byte) int {
	if g.Head == nil || f.Encoding != Array {
		return 0
	}
	if _, bad := d.doubt(g.Head, addr, data); bad {
		return 0
	}
	at := addr + uint64(g.Head.From)
	n := int(proofPage-at%proofPage) &^ 7 // 8 bytes are read at once
	if n >= f.Size*f.Count {
		return 0
	}
	return n
}

// array is the value of f, an array whose pointers may be followed. If Why is not 0 it
// is the beginning of one, the rest of which could not be read.
func (d *Decoder) array(f *Field, data []byte) Value {
	v := Value{Kind: Bytes, Bytes: d.bytes(f, data)}
	last := len(f.Guards) - 1
	if last < 0 || f.Guards[last].Head == nil {
		return v
	}
	g := &f.Guards[last]
	addr := d.Arg(g.Arg, data)
	if !d.arch.IsUser(addr) {
		return v
	}
	if _, bad := d.doubt(g.Proof, addr, data); !bad {
		return v
	}
	v.Bytes = v.Bytes[:min(d.beginning(f, g, addr, data), len(v.Bytes))]
	if f.Format != "" && f.Format != "sockaddr" || !isWholeSockAddr(v.Bytes, d.big) {
		v.Why = NotInMemory
	}
	return v
}

// isWholeSockAddr reports whether all that an address of a socket has is in b, with which
// it begins.
func isWholeSockAddr(b []byte, big bool) bool {
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
		return len(path) > 1 && len(UntilNUL(path[1:])) < len(path)-1
	}
	return false
}

// IsCut reports whether v is but the beginning of what lies in memory.
func (v *Value) IsCut() bool { return v.Kind == Bytes && v.Why != 0 }
