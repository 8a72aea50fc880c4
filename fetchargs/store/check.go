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
	bad := f.Count < 0 || f.Count > 64<<10 || f.Bits < 0 || f.Bits > 64 || f.Skip < 0 || f.Skip > 7 || f.Split < 0 || f.Split > 63
	switch f.Size {
	case 1, 2, 4, 8:
	case 0:
		bad = bad || f.Encoding != value.Nothing
	default:
		bad = true
	}
	bad = bad || f.Encoding == value.Age && f.Size != 8
	if f.Encoding == value.BitField {
		bad = bad || f.Bits < 1 || f.Bits > 8*f.Size
	}
	bad = bad || f.Bound != nil && (f.Encoding != value.Array && f.Encoding != value.String || f.Bound.Unit < 0 || f.Bound.Unit > maxTypeSize)
	bad = bad || (f.Encoding == value.Strings) != (len(f.Items) > 0) || slices.ContainsFunc(f.Items, func(i int) bool { return isNoItem(p, i) })
	f.Choosers(func(arg *int) { bad = bad || !hasArg(p, *arg) })
	if f.Format != "" {
		bad = bad || value.FormatNamed(f.Format) == nil
	}
	switch {
	case (f.Encoding == value.Dumped) != (f.Dump != nil):
		return errors.New("impossible field")
	case f.Dump != nil && !bad:
		return checkDump(p, f)
	case bad, f.Encoding != value.Nothing && !hasArg(p, f.Arg):
		return errors.New("impossible field")
	case f.Encoding != value.Nothing && p.GoesOn(f) && !hasArg(p, f.Arg+1):
		return errors.New("it goes on behind the last argument")
	}
	return nil
}

// maxTypeSize is more than the size of any type whose elements are counted.
const maxTypeSize = 64 << 10

// isNoItem reports whether the field i, which has been loaded, cannot be one of Strings.
func isNoItem(p *plan.Probe, i int) bool {
	return i < 0 || i >= len(p.Fields) || p.Fields[i].Encoding != value.Array || len(p.Fields[i].Guards) < 2
}

func hasArg(p *plan.Probe, i int) bool { return i >= 0 && i < len(p.Args) }

// isPath reports whether all parts of a path are args of the probe.
func isPath(p *plan.Probe, path *value.Path) bool {
	ok := path.IsWhole()
	path.Args(func(arg *int) { ok = ok && hasArg(p, *arg) })
	return ok
}
