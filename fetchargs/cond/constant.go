package cond

import (
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Constant is a literal that fits the field it is compared with: a number in the
// width and byte order of the field, text, or bytes.
type Constant struct {
	Num   uint64 // sign-extended if the field is signed
	Mask  uint64 // the bits of the number that are compared, in the same byte order; 0 for all
	Text  string
	Bytes []byte     // compared with the first bytes of the field
	Bits  int        // bits of bytes that are compared; 0 for all
	Kind  value.Kind // Int or Uint, Text, Bytes
	Shown string     // as written in the spec
}
