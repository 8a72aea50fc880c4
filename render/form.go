package render

// A Form says what the numbers or bytes of a value mean. Every FORMAT and every
// kind of C type is one.
type Form uint8

const (
	Decimal  Form = iota
	Hex           // a number of which the bits matter
	Octal         // a mode of a file
	Char          // a character
	Bool          //
	Byte          // of data
	Enum          // a constant of Type.Enum
	Address       // of memory, or an error pointer
	Symbol        // an address that may have a name
	Returned      // what a function returns: if it is a small negative number, an error
	Errno         // an error
	Seconds       // nanoseconds
	IP4           // in network byte order
	IP6           //
	MAC           // a hardware address of six bytes
	LongMAC       // a hardware address in an array that is longer than it
	Memory        // bytes as they lie in memory
	Unknown       // nobody knows, not even C
)

// blocks are the forms in which several bytes mean one thing, by how many do:
// all that there are, if it is everything.
var blocks = [Unknown + 1]int{
	IP4: 4, IP6: 16, MAC: 6, LongMAC: everything, Memory: everything, Unknown: everything,
}

const everything = -1

// A rule is how a FORMAT or a C type is shown.
type rule struct {
	form  Form
	sign  sign // how numbers are widened
	width int  // bytes that count; 0 for all that were fetched
	big   bool // in network byte order
	chars bool // an array of them is a string
}

// A sign says what the upper bits of a number are.
type sign uint8

const (
	asFetched sign = iota
	signed
	unsigned
)

// formats are the rules of the FORMATs that may follow an item's colon.
// fetchargs has the table that says how each is fetched.
var formats = []struct {
	name string
	rule rule
}{
	{"x", rule{form: Hex, sign: unsigned}},
	{"d", rule{form: Decimal, sign: signed}},
	{"u", rule{form: Decimal, sign: unsigned}},
	{"o", rule{form: Octal, sign: unsigned}},
	{"c", rule{form: Char, sign: unsigned}},
	{"s", textRule},
	{"us", textRule},
	{"string", textRule},
	{"ustring", textRule},
	{"sym", rule{form: Symbol, sign: unsigned}},
	{"symbol", rule{form: Symbol, sign: unsigned}},
	{"mac", rule{form: MAC, sign: unsigned}},
	{"ip4", ip4Rule},
	{"ip6", ip6Rule},
	{"port", rule{form: Decimal, sign: unsigned, width: 2, big: true}},
	{"be16", rule{form: Decimal, sign: unsigned, width: 2, big: true}},
	{"be32", rule{form: Decimal, sign: unsigned, width: 4, big: true}},
	{"errno", rule{form: Errno, sign: signed}},
	{"time", rule{form: Seconds}},
	{"hex", rule{form: Memory, sign: unsigned}},
	{"char", rule{form: Char, sign: unsigned, width: 1}},
	{"u8", rule{form: Decimal, sign: unsigned, width: 1}},
	{"u16", rule{form: Decimal, sign: unsigned, width: 2}},
	{"u32", rule{form: Decimal, sign: unsigned, width: 4}},
	{"u64", rule{form: Decimal, sign: unsigned, width: 8}},
	{"s8", rule{form: Decimal, sign: signed, width: 1}},
	{"s16", rule{form: Decimal, sign: signed, width: 2}},
	{"s32", rule{form: Decimal, sign: signed, width: 4}},
	{"s64", rule{form: Decimal, sign: signed, width: 8}},
	{"x8", rule{form: Hex, sign: unsigned, width: 1}},
	{"x16", rule{form: Hex, sign: unsigned, width: 2}},
	{"x32", rule{form: Hex, sign: unsigned, width: 4}},
	{"x64", rule{form: Hex, sign: unsigned, width: 8}},
}

var (
	textRule = rule{form: Address, sign: unsigned, chars: true}
	ip6Rule  = rule{form: IP6, sign: unsigned}
	ip4Rule  = rule{form: IP4, sign: unsigned, width: 4, big: true}
)

func formatNamed(name string) (rule, bool) {
	for _, f := range formats {
		if f.name == name {
			return f.rule, true
		}
	}
	return rule{}, false
}
