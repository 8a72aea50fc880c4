package value

import "math"

// A Form says what the numbers or bytes of a value mean. Every FORMAT and every kind of C
// type has one.
type Form uint8

const (
	Decimal   Form = iota
	Hex            // a number whose bits matter
	Octal          // a file mode
	Char           // a character
	Bool           // true or false
	Byte           // a byte of data
	Enum           // a constant of Type.Enum
	SockAddr       // a socket address, by its family
	Bits           // a bitmap: the numbers of its set bits
	Named          // flags or a number with names in Type.Names
	Device         // a device number in the kernel's encoding
	UserDev        // a device number as programs encode it
	ID             // the ID of a user or group, or -1 for none
	Location       // an address in an unsigned number
	Address        // an address in memory, or an error pointer
	Symbol         // an address that may be a symbol
	Returned       // a return value: a small negative number is an error
	ErrorCode      // an error
	Seconds        // nanoseconds
	Elapsed        // nanoseconds from a time to the event
	Jiffies        // ticks of the kernel's clock: a time, or a duration
	Task           // the name and the ID of a task
	PerCPU         // a per-CPU pointer: an offset that is the same for all CPUs
	IP4            // an IPv4 address, in network byte order
	IP6            // an IPv6 address, in 16 bytes
	MAC            // a hardware address of six bytes
	LongMAC        // a hardware address in a longer array
	Pointer        // an address in an object, shown with its symbol if there is one
	Word           // an unsigned number as wide as an address, which may be an address
	Memory         // bytes in the order of memory
	Unknown        // not known, not even from C
)

// blocks has the number of bytes of the forms in which several bytes mean one thing.
// everything stands for all the bytes that there are.
var blocks = [...]int{
	SockAddr: everything, Bits: everything, IP4: 4, IP6: 16, MAC: 6, LongMAC: everything, Memory: everything, Unknown: everything,
}

const everything = math.MaxInt

// A rule says how a FORMAT or a C type is shown.
type rule struct {
	form   Form
	set    string // for Named
	signed bool
	width  int  // significant bytes of a number; 0 for all that were fetched
	big    bool // in network byte order
	chars  bool // an array of these is a string
}

var (
	ip6Rule = rule{form: IP6}
	ip4Rule = rule{form: IP4, width: 4, big: true}
)

// rule returns the rule of f.
func (f *Format) rule() rule {
	r := rule{form: f.Form, set: f.Set, signed: f.Signed, big: f.Big, chars: f.Shape == KernelText || f.Shape == UserText || f.Shape == FilePath || f.Shape == BaseName}
	if f.Shape == FixedWidth {
		r.width = f.Size
	}
	return r
}
