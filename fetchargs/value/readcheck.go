package value

// A ReadCheck shows whether a piece of user memory could be read. Its address proves nothing:
// the page may not be there, and a number that cannot be read leaves old memory in its
// place. Only strings show that they faulted, so the probe also fetches a string at the
// place of the value:
//
//   - Through, -2147483647(+off(ptr)):ustring. The kernel loads 8 bytes at ptr+off and
//     then reads far from where they point. If the first read fails, the place of the
//     string stays as it was prepared: the place of the next string, with the rest of the
//     record as its length. If the second fails, the length is 0 (store_trace_args,
//     kernel/trace/trace_probe_tmpl.h).
//   - Itself, +off(ptr):string, for kernels that write a length of 0 in both cases (5.10):
//     a text proves that its page is there. No text proves nothing.
//
// A trial in each record, a string at a pointer that can never be followed, shows which
// kind of kernel it is.
//
// Kernels that count faults need no string:
//
//   - Counted, the count before and after the value (target.FaultCount). If the count
//     has risen, the value has faulted, or another fetch on another CPU at the same time.
//     Args lead to the kprobe, and the last one is its address, which must be Addr.
//   - Witnessed, the same count of a probe of tsnoop's own (target.Witness). The kernel's
//     reader of its own memory refuses some addresses without a fault: those of users and, on
//     x86, the page of vsyscalls and those that are not canonical
//     (copy_from_kernel_nofault_allowed of arch/x86/mm/maccess.c, 5.8 to 7.3). The arg after
//     the memory has the count and the address of the probe, which must be Addr; Args has its
//     flags, which must be 0. They are not if the probe was disabled, as it is before it is
//     removed.
type ReadCheck struct {
	Kind     ReadCheckKind
	Args     []int // indexes into the probe's Args
	Any      bool  // one of Args is enough
	Trial    int   // index into the probe's Args
	From, To int64 // range of bytes from the pointer: it must be on one page for Itself, before End for Counted, and from End on for Witnessed

	// Read is 1 plus the arg that holds the memory, or the first of Reads args that do.
	// For a text it is the arg of the first byte.
	Read  int
	Reads int
	Addr  uint64 // address of the function, for Counted, or of the probe, for Witnessed
	End   uint64 // address where user space ends, for Counted, or kernel space begins, for Witnessed
	// Last is, for a text, 1 plus the arg of the last string in the record, the name of
	// the task; 0 if there is none.
	Last int
}

// A ReadCheckKind says how a ReadCheck works.
type ReadCheckKind uint8

const (
	Through ReadCheckKind = iota
	Itself
	Counted
	Witnessed
)

func (k ReadCheckKind) String() string {
	switch k {
	case Itself:
		return "there is text"
	case Counted, Witnessed:
		return "misses do not rise"
	}
	return "this faults only at its second read"
}

const checkPage = 4096 // bytes, the smallest page there is

// doubt returns why the memory at a pointer, an address in user space, is not believed.
// It returns false if the memory was there.
func (d *Decoder) doubt(p *ReadCheck, addr uint64, data []byte) (FaultReason, bool) {
	if p == nil {
		return Unproven, true
	}
	if p.Kind == Witnessed {
		return d.unwitnessed(p, addr, data)
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
		// In a record made from text, a string that faulted cannot be distinguished from
		// the next string.
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
	if first, last := addr+uint64(p.From), addr+uint64(p.To)-1; keeps || first/checkPage != last/checkPage {
		return Unproven, true
	}
	for _, arg := range p.Args {
		if d.Arg(arg, data)>>16 != 0 {
			return BadAddress, false
		}
	}
	return Unproven, true
}

// counted reports whether something has faulted while the memory of p at addr was read.
// ok is false if the count does not show it.
func (d *Decoder) counted(p *ReadCheck, addr uint64, data []byte) (risen, ok bool) {
	kprobes, first := len(p.Args)-1, p.Read-1
	// At other addresses a read fails without being counted.
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

// vsyscalls is an address of a page of user space above that of the kernel (x86).
const vsyscalls = 0xffff_ffff_ff60_0000

// unwitnessed is doubt for memory that a witness was at. If there were less faults than words, they
// may have been those of other probes, on other CPUs.
func (d *Decoder) unwitnessed(p *ReadCheck, addr uint64, data []byte) (FaultReason, bool) {
	from, to := addr+uint64(p.From), addr+uint64(p.To)
	if from > to || from < p.End || !d.arch.IsKernel(from) || from < vsyscalls+checkPage && to > vsyscalls {
		return Unproven, true
	}
	first := p.Read - 1
	after := first + p.Reads
	if p.Addr == 0 || d.word(after, 1, data) != p.Addr || d.Arg(p.Args[0], data) != 0 {
		return Unproven, true
	}
	switch faults := d.word(after, 0, data) - d.word(first-1, 0, data); {
	case faults == 0:
		return 0, false
	case faults < (to-from)/8:
		return Unproven, true
	}
	return NotInMemory, true
}

// word returns the n-th of the words of 8 bytes of an arg; 0 if it is not in the record.
func (d *Decoder) word(arg, n int, data []byte) uint64 {
	s := &d.slots[arg]
	start := s.Offset + 8*n
	if start+8 > min(s.Offset+s.Size, len(data)) {
		return 0
	}
	return Load(data[start:start+8], d.big)
}

// counts reports whether p compares counts of faults.
func (p *ReadCheck) counts() bool { return p.Kind == Counted || p.Kind == Witnessed }

// isEmpty reports whether a text that was in memory, but not stored by the kernel, is
// empty. It is not if it continues where there is no memory.
func (d *Decoder) isEmpty(p *ReadCheck, data []byte) bool {
	return p.Read == 0 || d.Arg(p.Read-1, data) == 0
}

// isCut reports whether the text of f continues where there is no memory, and the kernel
// has stored as much of it as there was room for. The kernel reserves no room for a
// string that faults. But when it stores the string, the room for the strings after it
// may end before the memory does. Then the name of the task is missing.
func (d *Decoder) isCut(f *Field, data []byte) bool {
	if len(f.PointerChecks) == 0 {
		return false
	}
	p := f.PointerChecks[len(f.PointerChecks)-1].ReadCheck
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

// eachArg calls visit with each index into the probe's Args that p refers to; p may be nil.
func (p *ReadCheck) eachArg(visit func(arg *int)) {
	if p == nil {
		return
	}
	for i := range p.Args {
		visit(&p.Args[i])
	}
	if !p.counts() {
		visit(&p.Trial)
	}
	for _, arg := range []*int{&p.Read, &p.Last} {
		if *arg > 0 {
			*arg--
			visit(arg)
			*arg++
		}
	}
}
