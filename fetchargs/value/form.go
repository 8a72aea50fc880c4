package value

// A Form says what the numbers or bytes of a value mean. Every FORMAT and every
// kind of C type has one.
type Form uint8

const (
	Decimal   Form = iota
	Hex            // a number of which the bits matter
	Octal          // a mode of a file
	Char           // a character
	Bool           // true or false
	Byte           // of data
	Enum           // a constant of Type.Enum
	SockAddr       // the address of a socket, by its family
	Bits           // a bitmap: the numbers of the bits that are set
	Named          // flags, or a number, that have names in Type.Names
	Device         // numbers of a device, as the kernel has them
	Address        // of memory, or an error pointer
	Symbol         // an address that may have a name
	Returned       // what a function returns: if it is a small negative number, an error
	ErrorCode      // an error
	Seconds        // nanoseconds
	Elapsed        // nanoseconds from then to the event
	Jiffies        // ticks of the kernel's clock: a time, or a duration
	PerCPU         // a pointer to what each CPU has its own of: an offset, for all of them
	IP4            // an address, in network byte order
	IP6            // an address, in 16 bytes
	MAC            // a hardware address of six bytes
	LongMAC        // a hardware address in an array that is longer than it
	Pointer        // an address in an object: what it is of, if the kernel has a name for it
	Word           // an unsigned number as wide as an address, which it may be
	Memory         // bytes as they lie in memory
	Unknown        // nobody knows, not even C
)

// blocks are the forms in which several bytes mean one thing, by how many do:
// all that there are, if it is everything.
var blocks = [Unknown + 1]int{
	SockAddr: everything, Bits: everything, IP4: 4, IP6: 16, MAC: 6, LongMAC: everything, Memory: everything, Unknown: everything,
}

const everything = -1

// A rule is how a FORMAT or a C type is shown.
type rule struct {
	form   Form
	set    string // for Named
	signed bool
	width  int  // bytes of a number that count; 0 for all that were fetched
	big    bool // in network byte order
	chars  bool // an array of them is a string
}

var (
	ip6Rule = rule{form: IP6}
	ip4Rule = rule{form: IP4, width: 4, big: true}
)

// rule is how f is shown.
func (f *Format) rule() rule {
	r := rule{form: f.Form, set: f.Set, signed: f.Signed, big: f.Big, chars: f.Shape == KernelText || f.Shape == UserText || f.Shape == FilePath}
	if f.Shape == FixedWidth {
		r.width = f.Size
	}
	return r
}
