package cond

import (
	"errors"
	"fmt"
	"iter"
	"math/big"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// constants returns err, an error that there is no such constant, with a list of the
// constants that f may be compared with. These are the first that there are of: the known
// names of its values, those of its enum (which err has), the errnos, and the macros of
// the kernel.
func (m *comparer) constants(l *spec.Literal, f *value.Field, err error) error {
	var missing *btf.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	of, negative := *missing, strings.HasPrefix(l.Text, "-")
	of.All = func(yield func(name, is string) bool) {
		for _, all := range []iter.Seq2[string, string]{m.Macros().Set(f.Set).Names, missing.All, errnos(f, negative), m.Macros().All} {
			some := false
			if all == nil {
				continue
			}
			for name, is := range all {
				if some = true; !yield(name, is) {
					return
				}
			}
			if some {
				return
			}
		}
	}
	return &of
}

// maxErrno is MAX_ERRNO of include/linux/err.h.
const maxErrno = 4095

// errnos yields the errors that a function may return.
func errnos(f *value.Field, negative bool) iter.Seq2[string, string] {
	if f.Label != "return" || !f.Signed {
		return nil
	}
	return func(yield func(name, is string) bool) {
		for n := range int64(maxErrno) {
			name := value.ErrnoName(n)
			if name == "" {
				continue
			}
			if !negative {
				name = "-" + name
			}
			if !yield(name, fmt.Sprint(-n)) {
				return
			}
		}
	}
}

// macro returns the value of a macro of the user API that is compared with f. As in
// C, a value that sets the highest bit of a signed number is negative.
func macro(table *constants.Table, name string, f *value.Field) (*big.Int, bool) {
	v, ok := table.Value(name)
	if !ok {
		return nil, false
	}
	n := big.NewInt(v)
	width := uint(8 * f.Size)
	switch {
	case v < 0 && !f.Signed && f.Size == 8:
		n.SetUint64(uint64(v))
	case f.Signed && f.Encoding == value.Integer && n.BitLen() == int(width) && v > 0:
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), width))
	}
	return n, true
}
