package value

// A Proof tells of a record whether a piece of user memory could be read. The
// address proves nothing: the page may not be there, and a number that cannot
// be read leaves old memory in its place. Only strings tell that they faulted,
// so a string is fetched that lies where the value does:
//
//   - Through, -2147483647(+off(ptr)):ustring. The kernel loads 8 bytes at
//     ptr+off and then reads far from where they point. If the first fails, the
//     string's place is kept as it was prepared: the next string's, and the rest
//     of the record for its length. If the second fails, the length is 0
//     (store_trace_args, kernel/trace/trace_probe_tmpl.h).
//   - Itself, +off(ptr):string, for kernels that write a length of 0 for both
//     (5.10): a text proves that its page is there. No text proves nothing.
//
// Which kernel it is, a trial tells in each record: a string behind a pointer
// that never can be followed.
type Proof struct {
	Kind     ProofKind
	Args     []int // indexes into the probe's Args
	Any      bool  // one of Args is enough
	Trial    int   // index into the probe's Args
	From, To int64 // bytes behind the pointer that must be on one page, for Itself
}

// A ProofKind is what a Proof rests on.
type ProofKind uint8

const (
	Through ProofKind = iota
	Itself
)

func (k ProofKind) String() string {
	if k == Itself {
		return "there is text"
	}
	return "that faults behind it only"
}

const proofPage = 4096 // bytes, the smallest page there is

// doubt finds what speaks against the memory behind g, an address in user
// space; false if it was there.
func (d *Decoder) doubt(g *Guard, addr uint64, data []byte) (Why, bool) {
	p := g.Proof
	if p == nil {
		return Unproven, true
	}
	trial := d.Arg(p.Trial, data)
	keeps := trial>>16 != 0
	if p.Kind == Through {
		if !keeps {
			return Unproven, true
		}
		// In a record made of text nothing tells a string from the next one's.
		places := d.isNext(p.Trial, trial, data)
		for _, arg := range p.Args {
			loc := d.Arg(arg, data)
			away := loc>>16 != 0 && (!places || d.isNext(arg, loc, data))
			if away != p.Any {
				return NotInMemory, away
			}
		}
		return NotInMemory, p.Any
	}
	if first, last := addr+uint64(p.From), addr+uint64(p.To)-1; keeps || first/proofPage != last/proofPage {
		return Unproven, true
	}
	for _, arg := range p.Args {
		if d.Arg(arg, data)>>16 != 0 {
			return BadAddress, false
		}
	}
	return Unproven, true
}
