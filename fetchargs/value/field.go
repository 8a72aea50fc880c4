package value

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// An Encoding says how a record holds a Field.
type Encoding uint8

const (
	Integer  Encoding = iota // Size bytes, in the kernel's byte order
	BitField                 // an unsigned container of Size bytes; the value is its low Bits bits
	String                   // a __data_loc word that points at text
	Array                    // Count elements of Size bytes each
	Nothing                  // nothing was fetched: the event only says that the probe was hit
	Dumped                   // Count bytes of an object of Whole bytes; see Dump
	Who                      // a task, which the reader of records puts there; see PutTask
	Age                      // an age in ns, which the reader of records puts in place of a time; see NoAge
	Strings                  // the texts of the fields Items, up to the first whose last pointer is NULL
)

// A Field is a value that the user sees or that a condition needs.
type Field struct {
	Label         string   // as the user wrote or named it: "skb->len"
	Expr          string   // the expression whose value it is, as a spec has it; "" if it is the Label
	Alias         bool     // the Label is a name that the user gave, and no parameter has
	Name          string   // the last member or parameter on the way to the value, or ""; with Type it decides how the value is shown
	Type          btf.Type // C type of the value; nil if not known (%REG, $stackN)
	Format        string   // the user's FORMAT, "" to let the C type decide
	Encoding      Encoding
	Arg           int   // index into the probe's Args
	Size          int   // bytes of one element: 1, 2, 4 or 8
	Count         int   // elements of an Array; limit in bytes of a String from a char[N], 0 for none
	Whole         int   // bytes of the object if an Array shows only its beginning; 0 if it shows all
	Skip          int   // bytes to skip in the Arg before an Array in registers
	Bits          int   // width in bits of a BitField
	Split         int   // bits of a BitField that are in Arg, if the others are in the next Arg; else 0
	Signed        bool  // sign-extend
	BigEndian     bool  // in network byte order
	Add           int64 // bytes to add to the fetched pointer (&p->member)
	PointerChecks []PointerCheck
	Hidden        bool    // fetched for a condition only, not shown
	Dump          *Extent // for Dumped
	Refetched     int     // 1 plus the index of the return probe's field with the value at return; -1 in that field
	Reason        string  // why nothing was fetched
	Clock         bool    // the record has room for an Age or a Who, which its reader finds out from earlier records
	Boot          bool    // the time of an Age is of CLOCK_BOOTTIME, not CLOCK_MONOTONIC

	Bound  *Bound           // how much of what a parameter points to means something; nil if all does, or for no parameter
	Items  []int            // for Strings: indexes of fields, which are Arrays of characters through two pointers at least
	Use    *Use             // when the call uses the parameter; nil if it always does
	Path   *Path            // the rest of a path, if the text is its last name; else nil
	Set    string           // set of constants that the value is known to hold, or a FORMAT; else ""
	By     int              // 1 plus the Arg of the parameter that chooses among the cases of Set; 0 if there is none
	HZ     int              // jiffies a second; 0 if not known, or if there are none
	Macros *constants.Table // the machine's; nil for macros that are the same on all machines
}

// Choosers calls f with each index into the probe's Args of a parameter that says what the
// value means.
func (f *Field) Choosers(call func(arg *int)) {
	if f.By > 0 {
		f.By--
		call(&f.By)
		f.By++
	}
	if f.Use != nil {
		call(&f.Use.Arg)
	}
	f.Bound.Args(call)
}

// EachArg calls visit with each index into the probe's Args that f refers to, by itself, its
// pointer checks and their read checks. visit may change it.
func (f *Field) EachArg(visit func(arg *int)) {
	if f.Encoding != Nothing && (f.Dump == nil || f.Dump.Args > 0) {
		visit(&f.Arg)
	}
	f.Path.Args(visit)
	f.Choosers(visit)
	if f.Dump != nil {
		for i := range f.Dump.Windows {
			f.Dump.Windows[i].ReadCheck.eachArg(visit)
		}
	}
	for i := range f.PointerChecks {
		g := &f.PointerChecks[i]
		visit(&g.Arg)
		g.ReadCheck.eachArg(visit)
		g.Head.eachArg(visit)
	}
}

// IsRest reports whether f is a further part of an object that another field shows.
func (f *Field) IsRest() bool { return f.Encoding == Dumped && f.Whole == 0 }

// A Space says where a pointer must point to be believed.
type Space uint8

const (
	KernelSpace Space = iota
	UserSpace
	AnySpace    // a char *: the fetch itself shows whether it can be read
	EitherSpace // kernel memory, or user memory if PointerCheck.ReadCheck shows that it was there
)

// A PointerCheck is a pointer through which a Field was read. A fetch that faults leaves old
// memory in the record, so the field can be believed only if every pointer holds an address
// that can be read.
type PointerCheck struct {
	Label     string // "skb->dev"
	Arg       int    // index into the probe's Args of the pointer's own value, an x64
	Space     Space
	ReadCheck *ReadCheck // shows whether user memory was there; nil if nothing does
	Head      *ReadCheck // shows whether the first bytes of a value were there, if it may end early; else nil
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
