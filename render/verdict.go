package render

import (
	"encoding/binary"
	"strconv"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Verdicts tell of calls whether they failed.
type Verdicts []*verdict

// NewVerdicts makes the verdicts of calls whose Plan is an index of sources. order
// is that of the records, nil for little endian.
func NewVerdicts(sources []Source, order binary.ByteOrder) Verdicts {
	all := make(Verdicts, len(sources))
	for i, s := range sources {
		all[i] = newVerdict(s.Plan.Return, s.Return, order)
	}
	return all
}

// Errno is the error that c has returned, as a positive number. It is 0 if c
// has returned none, or if what it returned is not known.
func (all Verdicts) Errno(c *calls.Call) int {
	v := all[c.Plan]
	if v == nil || c.Return == nil {
		return 0
	}
	return v.errno(c.Return.Data)
}

// A verdict is what a call returned, where the C type says that it may be an
// error: what stands in a line as "= -2 (ENOENT)".
type verdict struct {
	typ   Type
	where value.Plain
}

// newVerdict finds the return value in a probe's records, shown or not; nil if
// it is not there or never an error.
func newVerdict(probe *fetchargs.Probe, dec *value.Decoder, order binary.ByteOrder) *verdict {
	if probe == nil || dec == nil || !probe.Return {
		return nil
	}
	for i := range probe.Fields {
		f := probe.Fields[i]
		if f.Encoding != value.Integer || f.Add != 0 || !isReturn(probe, &f) {
			continue
		}
		where, ok := dec.Plain(i)
		if f.Format != "errno" {
			f.Format = "" // -2 is an error in hexadecimal, too
		}
		v := verdict{NewType(&f, true, order), where}
		if ok && (f.Format == "errno" || v.typ.Form == Returned || v.isPointer()) {
			return &v
		}
	}
	return nil
}

func (v *verdict) isPointer() bool { return v.typ.Form == Address || v.typ.Form == Symbol }

// isReturn tells whether f is all of what the function returned, whatever the
// user has named it.
func isReturn(probe *fetchargs.Probe, f *value.Field) bool {
	if f.Label == "return" || f.Arg >= len(probe.Args) {
		return f.Label == "return"
	}
	a := &probe.Args[f.Arg]
	return a.Base.Kind == fetchargs.Retval && len(a.Hops) == 0
}

// errno is the error in a record, as a positive number, 0 if there is none. An
// integer is one only if that has a name.
func (v *verdict) errno(data []byte) int {
	x := v.typ.Means(v.where.Load(data))
	if isErrno(x) && (v.isPointer() || ReturnedErrno(x) != "") {
		return int(-int64(x))
	}
	return 0
}

// AppendErrnoName appends the name of error n, or the number if it has none.
func AppendErrnoName(dst []byte, n int) []byte {
	if name := errnoName(int64(n)); name != "" {
		return append(dst, name...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}
