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

// beginning returns how many bytes of f, an array behind g at addr, are on the page of
// the first bytes, if these could be read and others could not. Otherwise it returns 0.
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

// A Bound says how much of an Array means something.
type Bound struct {
	Length int // index into the probe's Args of the number of bytes, an s32
	Result int // index of the return value, an s32: if it is an error, nothing was stored; -1 if it does not matter
}

// Args calls f with each index into the probe's Args.
func (b *Bound) Args(f func(arg *int)) {
	if b == nil {
		return
	}
	f(&b.Length)
	if b.Result >= 0 {
		f(&b.Result)
	}
}

// array returns the value of f, an array whose pointers can be followed. If Why is not 0,
// it is only the beginning of the array, and the rest could not be read.
func (d *Decoder) array(f *Field, data []byte) Value {
	v := Value{Kind: Bytes, Bytes: d.bytes(f, data)}
	if b := f.Bound; b != nil {
		if b.Result >= 0 && int32(d.Arg(b.Result, data)) < 0 {
			return Value{}
		}
		v.Bytes = v.Bytes[:min(max(0, int(int32(d.Arg(b.Length, data)))), len(v.Bytes))]
	}
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
	whole := len(v.Bytes)
	v.Bytes = v.Bytes[:min(d.beginning(f, g, addr, data), whole)]
	switch bound := f.Bound != nil; {
	case bound && len(v.Bytes) == whole:
	case (f.Format == "" || f.Format == "sockaddr") && isWholeSockAddr(v.Bytes, d.big, bound):
	case bound:
		v.Uint, v.Why = uint64(whole), NotInMemory
	default:
		v.Why = NotInMemory
	}
	return v
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
func (v *Value) IsCut() bool { return v.Kind == Bytes && v.Why&^OldMemory != 0 }
