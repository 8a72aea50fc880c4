package value

// Doubts says that the records were made from text. At offset at, in bytes, a record has
// one byte for each arg: an index into whys, which says what the text leaves uncertain.
func (d *Decoder) Doubts(at int, whys []FaultReason) { d.doubts, d.reasons = at, whys }

// textReason returns what text leaves uncertain about f, a string; 0 if nothing.
func (d *Decoder) textReason(f *Field, data []byte) FaultReason {
	if reason := d.argReason(f.Arg, data); reason != MaybeNext || len(f.PointerChecks) > 1 {
		return reason
	}
	return 0 // the text shows whether the last pointer could be followed
}

// argReason returns what text leaves uncertain about an arg that was read through several
// pointers.
func (d *Decoder) argReason(arg int, data []byte) FaultReason {
	if d.reasons == nil {
		return 0
	}
	if at := d.doubts + arg; at < len(data) && int(data[at]) < len(d.reasons) {
		return d.reasons[data[at]]
	}
	return 0
}

// OldMemory is a bit in the Reason of any value, beside the rest of it. The value was read
// from copied text, through a pointer to user memory; the text does not show whether the
// kernel could read it, or has left old memory in its place.
const OldMemory FaultReason = 1 << 7

// trusts reports whether a pointer is believed because a record made from text has
// nothing that could prove it. Values read through it are marked with OldMemory.
func (d *Decoder) trusts(g *PointerCheck) bool { return d.reasons != nil && g.ReadCheck == nil }

// mayBeOld reports whether f was read through a pointer that is only trusted. A string
// shows by itself whether the last pointer could be followed.
func (d *Decoder) mayBeOld(f *Field, data []byte) bool {
	if f.Encoding == Strings {
		f = &d.fields[f.Items[0]]
	}
	for i := range f.PointerChecks {
		g := &f.PointerChecks[i]
		if !(f.Encoding == String && i == len(f.PointerChecks)-1) && d.trusts(g) && d.arch.IsUser(d.Arg(g.Arg, data)) {
			return true
		}
	}
	return false
}
