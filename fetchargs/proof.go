package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

const (
	// beyond is far from where whatever is in user memory may point: an offset
	// has 32 bits. The less is found there the better; if something is, it is
	// copied for nothing. With ustring the kernel looks for it in the program's
	// own memory only, and not wherever the program wants it to.
	//
	// The type symstr would do without a second step, but the kernel writes it
	// without regard to the room there is: a program that changes its memory
	// meanwhile would have it write behind the record (6.2 to 7.3).
	beyond = -2147483647
)

// trialArg faults at the first of two steps.
var trialArg = Arg{Base: Base{Kind: Immediate, N: 0x80_0000_0000_0000}, Hops: make([]Hop, 2), Type: stringType}

// marked tells whether what follows the i-th pointer is read as user memory.
func (p route) marked(i int) bool {
	n := i
	if p.ofVariable() {
		n++
	}
	if n < len(p.hops) {
		return p.hops[n].User
	}
	return p.user
}

// proof has the probe fetch what proves that the memory behind the i-th
// pointer, the value after n hops, was there. size is that of e in bytes.
func (b *builder) proof(e encoded, i, n, size int) *value.Proof {
	at, text := e.route.off, e.field.Encoding == value.String && i == len(e.route.labels)-1
	if !b.r.target.Features.Immediate || text && i > 0 && e.route.labels[i-1].inKernel() {
		return nil // a string tells by itself, unless it is empty, and the kernel's own are not there
	}
	if e.next != nil && e.route.mem {
		size += e.next.Size()
	}
	if n < len(e.route.hops) {
		at, size = e.route.hops[n].Offset, 8
	}
	user := e.route.marked(i) || text && e.typ == ustringType
	label := e.route.labels[i]
	pointer := e.route.pointer(n)
	there := func(off int64) Arg { return pointer.then(Hop{off, user}) }
	asText := func(off int64) Arg { return there(off).as(stringType) }
	if b.r.target.Features.Keeps {
		if text {
			size = 1
		}
		p, args := &value.Proof{Kind: value.Through}, []Arg(nil)
		starts, any := label.windows(at, int64(size))
		for _, off := range starts {
			args = append(args, there(off).then(Hop{Offset: beyond}).as(ustringType))
		}
		p.Any = any
		return b.proofOf(p, args, false, e, label.text)
	}
	if text {
		return nil
	}
	p := &value.Proof{Kind: value.Itself, Any: true, From: min(at, label.start), To: at + int64(size)}
	args := []Arg{asText(at)}
	if size > 1 {
		args = append(args, asText(at+1))
	}
	if size >= 8 { // of a pointer into a program's libraries or stack never 0
		args = append(args, asText(at+5))
	}
	if label.start != at {
		args = append(args, asText(label.start))
	}
	// Text that is read to its end may be too long for a record, which is then
	// lost. Where text is likely, what is fetched anyway has to do.
	return b.proofOf(p, args, size == 1, e, label.text)
}

// windows are where 8 bytes start that prove that the size bytes at offset at
// can be read. Of a long value those are its two ends, which are on the same
// page or on neighbours. Of a short one they are those of the struct that it is
// in, which its other members share; without one, the 8 bytes from its start
// on or those up to its end, whichever is on its own page.
func (l label) windows(at, size int64) (starts []int64, any bool) {
	last := at + size - 8
	whole := int64(0)
	if n, ok := btf.Size(orVoid(l.target)); ok {
		whole = int64(n)
	}
	switch end := l.start + whole; {
	case size == 8:
		return []int64{at}, false
	case size > 8:
		return []int64{at, last}, false
	case at < l.start || at+size > end || whole < 8:
		return []int64{at, last}, true
	default:
		cell := l.start + (at-l.start)&^7
		return []int64{min(max(cell, last), end-8)}, false
	}
}

// proofOf fetches the strings of a proof, or finds those that are shared.
func (b *builder) proofOf(p *value.Proof, args []Arg, shared bool, e encoded, label string) *value.Proof {
	for _, a := range args {
		a, text, limit := b.r.fitted(a)
		if _, there := b.byText[text]; len(text) > limit || shared && !there {
			continue
		}
		i, ok := b.arg(a, label+" there", e.at)
		if !ok {
			return nil
		}
		p.Args = append(p.Args, i)
	}
	if len(p.Args) == 0 || p.Kind == value.Through && len(p.Args) < len(args) {
		return nil
	}
	b.proofs = append(b.proofs, p)
	return p
}

// trial fetches what tells how this kernel does it, behind all that is proven
// by it: what is left for strings only gets less.
func (b *builder) trial(at spec.Span) {
	if len(b.proofs) == 0 {
		return
	}
	arg, _ := b.arg(trialArg, "trial", at)
	for _, p := range b.proofs {
		p.Trial = arg
	}
}

// moveProof follows the args to where they are now.
func moveProof(p *value.Proof, moved []int) {
	if p == nil {
		return
	}
	for i, arg := range p.Args {
		p.Args[i] = moved[arg]
	}
	p.Trial = moved[p.Trial]
}

// maybeLost tells whether f is a string that may be in user memory. Up to 6.12
// or so the kernel stores nothing of an empty one, and a filter then sees the
// next string.
func maybeLost(f *value.Field) bool {
	return f.Encoding == value.String && len(f.Guards) > 0 && f.Guards[len(f.Guards)-1].Space != value.KernelSpace
}
