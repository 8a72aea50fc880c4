package plan

import (
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Column is a field of an event that tsnoop did not define, as described in the
// event's format file.
type Column struct {
	Name    string
	Type    string // C declaration: "unsigned int", "u8[6]", "__data_loc char[]"
	Size    int    // bytes
	Elem    int    // bytes of one element of an Array
	Signed  bool
	DataLoc bool
	Array   bool
	Format  string // FORMAT; "" lets the type decide
}

// FromEvent makes a plan that shows another tool's event: one value for each
// column, except those that the kernel itself adds to kprobe events. The columns
// are the plan's Args in the same order.
func FromEvent(system, name string, columns []Column, arch *abi.Arch) *Plan {
	plan := &Plan{Spec: &spec.Spec{Text: name, Func: spec.Name{Text: name}, Module: spec.Name{Text: system}}, Arch: arch}
	p := &Probe{Plan: plan, Event: name, Comm: -1, Caller: -1, Stack: -1}
	for i, c := range columns {
		p.Args = append(p.Args, dynevent.Arg{Name: c.Name, Type: dynevent.Type{Size: c.Size}})
		switch c.Name {
		case "__probe_ret_ip":
			p.Caller = i
		case "__probe_ip", "__probe_func":
		default:
			p.Fields = append(p.Fields, c.field(i))
		}
	}
	plan.Probes = []*Probe{p}
	return plan
}

func (c *Column) field(arg int) value.Field {
	f := value.Field{Label: c.Name, Format: c.Format, Arg: arg, Size: c.Size, Signed: c.Signed}
	elem, _, _ := strings.Cut(c.Type, "[")
	elem = strings.TrimPrefix(elem, "const ")
	switch {
	case c.DataLoc && (elem == "__data_loc char" || elem == "__rel_loc char"):
		f.Encoding, f.Size, f.Format = value.String, 1, "s"
		return f
	case c.DataLoc: // of what type the bytes are is not known
		f.Encoding, f.Size, f.Count, elem = value.Array, 1, dynevent.MaxElements, "u8"
	case c.Array && c.Size > 0:
		f.Encoding, f.Size, f.Count = value.Array, 1, c.Size
		if c.Elem > 0 && c.Size%c.Elem == 0 {
			f.Size, f.Count = c.Elem, c.Size/c.Elem
		}
	case c.Size != 1 && c.Size != 2 && c.Size != 4 && c.Size != 8:
		f.Encoding, f.Size = value.Nothing, 0
		return f
	}
	f.Type = columnType(elem, f.Size, c.Signed)
	if f.Encoding == value.Array {
		f.Type = &btf.Array{Type: f.Type, Nelems: uint32(f.Count)}
	}
	return f
}

// columnType returns the type of a number.
func columnType(elem string, size int, signed bool) btf.Type {
	t := &btf.Int{Name: elem, Size: uint32(size)}
	switch {
	case strings.HasSuffix(elem, "*"):
		return &btf.Pointer{Target: (*btf.Void)(nil)}
	case elem == "char":
		t.Encoding = btf.Char
	case signed:
		t.Encoding = btf.IsSigned
	}
	return t
}
