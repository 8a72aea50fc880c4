package value

import "math"

// A Bound says how much of what a parameter points to means something. If the pointer is
// NULL, so is the value: it is not a fault.
type Bound struct {
	Length int // index into the probe's Args of the number of units; -1 if everything means something
	Unit   int // bytes of a unit; 0 for a socket address, which is counted in bytes and may end earlier
	Result int // index of the return value, an s32: if it is an error, nothing was stored; -1 if it does not matter
}

// Args calls f with each index into the probe's Args.
func (b *Bound) Args(f func(arg *int)) {
	if b == nil {
		return
	}
	if b.Length >= 0 {
		f(&b.Length)
	}
	if b.Result >= 0 {
		f(&b.Result)
	}
}

// nullType is the Type of the value that stands for a pointer that is NULL.
var nullType = []Type{{Form: Address, Size: 8, count: 8}}

// null is the value that stands for a pointer that is NULL: see Type.Of.
var null = Value{Kind: Uint, Reason: 1}

// unbound returns the value of a field if it does not depend on memory: the function has
// stored nothing, the pointer is NULL, or the length is 0.
func (d *Decoder) unbound(f *Field, data []byte) (v Value, ok bool) {
	if r := f.Bound.Result; r >= 0 && int32(d.Arg(r, data)) < 0 {
		return Value{}, true
	}
	if n := len(f.PointerChecks); n > 0 && d.Arg(f.PointerChecks[n-1].Arg, data) == 0 {
		return null, true
	}
	if b := f.Bound; b.Length >= 0 && b.Unit > 0 && d.length(b, data) == 0 {
		return Value{Kind: Bytes}, true // there need not be memory
	}
	return Value{}, false
}

// length returns how many bytes mean something.
func (d *Decoder) length(b *Bound, data []byte) int {
	n, unit := d.Arg(b.Length, data), max(1, b.Unit)
	if d.slots[b.Length].Size < 8 {
		return max(0, int(int32(n))) * unit
	}
	return int(min(n, uint64(math.MaxInt/unit))) * unit
}

// array returns the value of f, an array whose pointers can be followed. If Reason is not 0,
// it is only the beginning of the array. If there is a rest, Uint also counts its bytes.
func (d *Decoder) array(f *Field, data []byte) Value {
	v := Value{Kind: Bytes, Bytes: d.bytes(f, data)}
	if whole, most := len(v.Bytes), f.Size*f.Count; d.slots[f.Arg].DataLoc && whole > most {
		v.Bytes, v.Uint, v.Reason = v.Bytes[:most], uint64(whole), CutOff
	}
	b := f.Bound
	if b != nil && b.Length >= 0 {
		n := d.length(b, data)
		if n > len(v.Bytes) && b.Unit > 0 {
			v.Uint, v.Reason = uint64(n), CutOff
		}
		v.Bytes = v.Bytes[:min(n, len(v.Bytes))]
	}
	last := len(f.PointerChecks) - 1
	if last < 0 || f.PointerChecks[last].Head == nil {
		return v
	}
	g := &f.PointerChecks[last]
	addr := d.Arg(g.Arg, data)
	if !d.arch.IsUser(addr) {
		return v
	}
	if _, bad := d.doubt(g.ReadCheck, addr, data); !bad {
		return v
	}
	whole := len(v.Bytes)
	v.Bytes = v.Bytes[:min(d.beginning(f, g, addr, data), whole)]
	switch data := b != nil && b.Unit > 0; {
	case b != nil && len(v.Bytes) == whole:
	case !data && (f.Format == "" || f.Format == "sockaddr") && isWholeSockAddr(v.Bytes, d.big, b != nil):
	case b != nil:
		v.Uint, v.Reason = max(v.Uint, uint64(whole)), NotInMemory
	default:
		v.Reason = NotInMemory
	}
	return v
}

// Units names what the length counts.
func (b *Bound) Units() string {
	if b.Unit > 1 {
		return "elements"
	}
	return "bytes"
}
