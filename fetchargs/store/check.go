package store

import (
	"errors"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// checkField returns an error if a field of a recording breaks a rule that decoding
// relies on.
func checkField(p *plan.Probe, f *value.Field) error {
	switch {
	case hasBadWidth(f), hasBadParts(p, f), f.Format != "" && value.FormatNamed(f.Format) == nil:
		return errors.New("impossible field")
	case f.Dump != nil:
		return checkDump(p, f)
	case f.Encoding == value.Nothing:
		return nil
	case !hasArg(p, f.Arg):
		return errors.New("impossible field")
	case p.GoesOn(f) && !hasArg(p, f.Arg+1):
		return errors.New("it continues after the last argument")
	}
	return nil
}

// hasBadWidth reports whether f has so many bits or bytes as no encoding has.
func hasBadWidth(f *value.Field) bool {
	if f.Count < 0 || f.Count > 64<<10 || f.Bits < 0 || f.Bits > 64 || f.Skip < 0 || f.Skip > 7 || f.Split < 0 || f.Split > 63 {
		return true
	}
	switch f.Encoding {
	case value.Nothing:
		if f.Size == 0 {
			return false
		}
	case value.Age:
		return f.Size != 8
	case value.BitField:
		if f.Bits < 1 || f.Bits > 8*f.Size {
			return true
		}
	}
	return f.Size != 1 && f.Size != 2 && f.Size != 4 && f.Size != 8
}

// hasBadParts reports whether f lacks what its encoding needs, has what belongs to another
// one, or refers to what p does not have.
func hasBadParts(p *plan.Probe, f *value.Field) bool {
	bad := (f.Encoding == value.Strings) != (len(f.Items) > 0) || (f.Encoding == value.Dumped) != (f.Dump != nil)
	if b := f.Bound; b != nil {
		bad = bad || f.Encoding != value.Array && f.Encoding != value.String || b.Unit < 0 || b.Unit > maxTypeSize
	}
	bad = bad || slices.ContainsFunc(f.Items, func(i int) bool { return isNoItem(p, i) })
	f.Choosers(func(arg *int) { bad = bad || !hasArg(p, *arg) })
	return bad
}

// maxTypeSize is more than the size of any type whose elements are counted.
const maxTypeSize = 64 << 10

// isNoItem reports whether the field i, which has been loaded, cannot be one of Strings.
func isNoItem(p *plan.Probe, i int) bool {
	return i < 0 || i >= len(p.Fields) || p.Fields[i].Encoding != value.Array || len(p.Fields[i].PointerChecks) < 2
}

func hasArg(p *plan.Probe, i int) bool { return i >= 0 && i < len(p.Args) }

// isPath reports whether all parts of a path are args of the probe.
func isPath(p *plan.Probe, path *value.Path) bool {
	ok := path.IsWhole()
	path.Args(func(arg *int) { ok = ok && hasArg(p, *arg) })
	return ok
}
