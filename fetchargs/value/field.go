package value

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// Encoding says how the bytes of an Arg hold a Field.
type Encoding uint8

const (
	Integer  Encoding = iota // Size bytes, in the kernel's byte order
	BitField                 // an unsigned container of Size bytes; the value is its low Bits bits
	String                   // a __data_loc word that points at text
	Array                    // Count elements of Size bytes each
	Nothing                  // nothing was fetched: the value is only the fact of a hit
	Dumped                   // Count bytes of an object of Whole bytes; more is in Dump
	Age                      // how long ago a time was, which a reader of records puts in that time's place; see NoAge
)

// A Field is one value the user sees or a condition needs.
type Field struct {
	Label     string   // as the user wrote or named it: "skb->len"
	Type      btf.Type // C type of the value; nil when unknown (%REG, $stackN)
	Format    string   // the user's FORMAT, "" to let the C type decide
	Encoding  Encoding
	Arg       int   // index into the probe's Args
	Size      int   // bytes of one element: 1, 2, 4 or 8
	Count     int   // elements of an Array; limit in bytes of a String from a char[N], 0 for none
	Whole     int   // bytes of the object, of which an Array shows the first; 0 if it shows all
	Skip      int   // bytes of the Arg before an Array that lies in registers
	Bits      int   // width in bits of a BitField
	Split     int   // bits of a BitField in Arg, if the others are in the Arg behind it
	Signed    bool  // sign-extend
	BigEndian bool  // in network byte order
	Add       int64 // bytes to add to the fetched pointer (&p->member)
	Guards    []Guard
	Hidden    bool    // fetched for a condition only, not shown
	Dump      *Extent // of what is Dumped
	Again     int     // 1 and the field of the return probe that has it as it was then; -1 in that one
	Why       string  // nothing was fetched
	Boot      bool    // an Age is of a time on CLOCK_BOOTTIME, not on CLOCK_MONOTONIC

	Path   *Path            // the text is the last name of a path, whose others are here
	Set    string           // of constants, if the value is known to hold them, or a FORMAT; else ""
	HZ     int              // jiffies a second; 0 if that is not known, or there are none
	Macros *constants.Table // the machine's; nil for those that all have
}

// IsRest reports whether f has more of an object that another field shows.
func (f *Field) IsRest() bool { return f.Encoding == Dumped && f.Whole == 0 }

// Space is where a pointer must point to be believed.
type Space uint8

const (
	KernelSpace Space = iota
	UserSpace
	AnySpace    // a char *: the fetch itself tells whether it can be read
	EitherSpace // the kernel's, or user space's if Guard.Proof tells so
)

// A Guard is a pointer a Field was read through. A faulting fetch leaves stale
// memory in the record, so the field may be believed only if every guard
// holds an address that can be read.
type Guard struct {
	Label string // "skb->dev"
	Arg   int    // index into the probe's Args of the pointer's own value, an x64
	Space Space
	Proof *Proof // that user memory was there; nil if there is none
	Head  *Proof // that its first bytes were, of a value that may end with them; nil of others
}

func (s Space) String() string {
	switch s {
	case UserSpace:
		return "a user address"
	case AnySpace, EitherSpace:
		return "an address"
	}
	return "a kernel address"
}
