package plan

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A ReturnErrno finds errors in the return values of a function, where the C type says that
// they may be errors: a line shows one as "= -2 (ENOENT)". A nil ReturnErrno finds none.
type ReturnErrno struct {
	typ   value.Type
	where value.Plain
}

// NewReturnErrno returns the ReturnErrno of a probe's return value, shown or not. It returns nil
// if the value was not fetched or is never an error. order is the byte order of the
// records, nil for little endian.
func NewReturnErrno(p *Probe, dec *value.Decoder, order binary.ByteOrder) *ReturnErrno {
	if p == nil || dec == nil || p.Side != dynevent.Return {
		return nil
	}
	for i := range p.Fields {
		f := p.Fields[i]
		if f.Encoding != value.Integer || f.Add != 0 || !p.isReturn(&f) {
			continue
		}
		where, ok := dec.Plain(i)
		if f.Format != "errno" {
			f.Format = "" // -2 is also an error in hexadecimal
		}
		v := ReturnErrno{value.NewType(&f, true, order), where}
		if ok && (f.Format == "errno" || v.typ.Form == value.Returned || v.isAddress()) {
			return &v
		}
	}
	return nil
}

func (v *ReturnErrno) isAddress() bool {
	return v.typ.Form == value.Address || v.typ.Form == value.Symbol
}

// isReturn reports whether f is the whole return value, whatever the user has named it.
func (p *Probe) isReturn(f *value.Field) bool {
	if f.Label == "return" || f.Arg >= len(p.Args) {
		return f.Label == "return"
	}
	a := &p.Args[f.Arg]
	return a.Base.Kind == dynevent.Retval && len(a.Hops) == 0
}

// Errno returns the error in a record of the return as a positive number, 0 if there is
// none. An integer counts as an error only if the number has a name.
func (v *ReturnErrno) Errno(data []byte) int {
	if v == nil {
		return 0
	}
	x := v.typ.Means(v.where.Load(data))
	if value.IsErrno(x) && (v.isAddress() || value.ReturnedErrno(x) != "") {
		return int(-int64(x))
	}
	return 0
}
