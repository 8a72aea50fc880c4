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
//
// Kernels that count what faults need no string:
//
//   - Counted, the count before and after the value (fetchargs.FaultCount). If it
//     has risen, the value has faulted, or at the same time one on another CPU.
//     Args lead to the kprobe, and the last is its address, which must be Addr.
type Proof struct {
	Kind     ProofKind
	Args     []int // indexes into the probe's Args
	Any      bool  // one of Args is enough
	Trial    int   // index into the probe's Args
	From, To int64 // bytes behind the pointer that must be on one page, for Itself, or before End, for Counted

	// Read is 1 and the arg that has the memory, or the first of so many as Reads
	// says. Of a text that is its first byte.
	Read  int
	Reads int
	Addr  uint64 // of the function, for Counted
	End   uint64 // address where user space ends, for Counted
	// Last is, of a text, 1 and the arg that has the record's last string, the
	// task's name. 0 if there is none.
	Last int
}

// A ProofKind is what a Proof rests on.
type ProofKind uint8

const (
	Through ProofKind = iota
	Itself
	Counted
)

func (k ProofKind) String() string {
	switch k {
	case Itself:
		return "there is text"
	case Counted:
		return "misses do not rise"
	}
	return "that faults behind it only"
}

const proofPage = 4096 // bytes, the smallest page there is

// doubt finds what speaks against the memory behind a pointer, an address in user
// space; false if it was there.
func (d *Decoder) doubt(p *Proof, addr uint64, data []byte) (Why, bool) {
	if p == nil {
		return Unproven, true
	}
	if p.Kind == Counted {
		risen, ok := d.counted(p, addr, data)
		return Unproven, risen || !ok
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

// counted reports whether something has faulted while p's memory at addr was read; ok
// is false if the count does not tell.
func (d *Decoder) counted(p *Proof, addr uint64, data []byte) (risen, ok bool) {
	kprobes, first := len(p.Args)-1, p.Read-1
	// At other addresses it fails without a fault.
	from, to := addr+uint64(p.From), addr+uint64(p.To)
	if from > to || to > p.End && !d.arch.IsKernel(from) {
		return false, false
	}
	for _, kprobe := range p.Args[:kprobes] {
		if !d.arch.IsKernel(d.Arg(kprobe, data)) {
			return false, false
		}
	}
	return d.Arg(first-1, data) != d.Arg(first+p.Reads, data), d.Arg(p.Args[kprobes], data) == p.Addr
}

// isEmpty reports whether a text that was in memory and of which the kernel stored
// nothing has nothing: not if it goes on where there is no memory.
func (d *Decoder) isEmpty(p *Proof, data []byte) bool {
	return p.Read == 0 || d.Arg(p.Read-1, data) == 0
}

// isCut tells that the text of f goes on where there is no memory, and that the
// kernel has taken as much of it as there was room for. It makes none for a string
// that faults, but when it stores it, the room for those behind it may end before
// the memory does. The task's name is then missing.
func (d *Decoder) isCut(f *Field, data []byte) bool {
	if len(f.Guards) == 0 {
		return false
	}
	p := f.Guards[len(f.Guards)-1].Proof
	if p == nil || p.Last == 0 || d.Arg(p.Last-1, data)>>16 != 0 {
		return false
	}
	for i := f.Arg + 1; i < p.Last-1; i++ {
		if d.slots[i].DataLoc && d.Arg(i, data)>>16 != 0 {
			return false
		}
	}
	return true
}
