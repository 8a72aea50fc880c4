package fetchargs

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Verdict is what a call has returned, where the C type says that it may be an
// error: what stands in a line as "= -2 (ENOENT)". A nil one is never an error.
type Verdict struct {
	typ   value.Type
	where value.Plain
}

// NewVerdict finds the return value in a probe's records, shown or not; nil if
// it is not there or never an error. order is that of the records, nil for little
// endian.
func NewVerdict(p *Probe, dec *value.Decoder, order binary.ByteOrder) *Verdict {
	if p == nil || dec == nil || p.Side != Return {
		return nil
	}
	for i := range p.Fields {
		f := p.Fields[i]
		if f.Encoding != value.Integer || f.Add != 0 || !p.isReturn(&f) {
			continue
		}
		where, ok := dec.Plain(i)
		if f.Format != "errno" {
			f.Format = "" // -2 is an error in hexadecimal, too
		}
		v := Verdict{value.NewType(&f, true, order), where}
		if ok && (f.Format == "errno" || v.typ.Form == value.Returned || v.isAddress()) {
			return &v
		}
	}
	return nil
}

func (v *Verdict) isAddress() bool { return v.typ.Form == value.Address || v.typ.Form == value.Symbol }

// isReturn reports whether f is all of what the function returned, whatever the
// user has named it.
func (p *Probe) isReturn(f *value.Field) bool {
	if f.Label == "return" || f.Arg >= len(p.Args) {
		return f.Label == "return"
	}
	a := &p.Args[f.Arg]
	return a.Base.Kind == Retval && len(a.Hops) == 0
}

// Errno is the error in a record of the return, as a positive number, 0 if there
// is none. An integer is one only if that has a name.
func (v *Verdict) Errno(data []byte) int {
	if v == nil {
		return 0
	}
	x := v.typ.Means(v.where.Load(data))
	if value.IsErrno(x) && (v.isAddress() || value.ReturnedErrno(x) != "") {
		return int(-int64(x))
	}
	return 0
}
