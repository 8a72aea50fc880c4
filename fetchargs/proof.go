package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

const (
	// beyond is an offset, of 32 bits, far from any place that user memory may
	// point to. It is better if nothing is found there; if something is, it is
	// copied for nothing. With ustring the kernel looks only in the program's own
	// memory, and not wherever the program wants it to look.
	//
	// The type symstr would need no second step, but the kernel writes it without
	// regard to the room in the record: a program that changes its memory meanwhile
	// could make it write past the record (6.2 to 7.3).
	beyond = -2147483647
)

// trialArg faults at the first of two hops.
var trialArg = dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Immediate, N: 0x80_0000_0000_0000}, Hops: make([]dynevent.Hop, 2), Type: dynevent.String}

// A piece is user memory that may not be paged in.
type piece struct {
	pointer    dynevent.Arg
	user       bool // it is read as user memory
	label      route.Label
	at         int64 // bytes from the pointer
	size       int   // bytes; 1 for text
	text       bool
	arg, reads int // the first arg that holds it, and the number of args; for text the string
	span       spec.Span
}

// there returns the fetcharg of the memory off bytes from the pointer.
func (m *piece) there(off int64) dynevent.Arg {
	return m.pointer.Then(dynevent.Hop{Offset: off, User: m.user})
}

// proof adds the fetchargs that prove that the memory behind the i-th pointer, the
// value after n hops, was there. arg is the index of the fetcharg of e.
func (b *builder) proof(e encode.Encoded, i, n, arg int) *value.Proof {
	m := piece{
		pointer: e.Route.Pointer(n), user: e.Route.Marked(i), label: e.Route.Labels[i],
		at: e.Route.Off, size: b.line.Args[arg].Size(), arg: arg, reads: 1, span: e.Span,
	}
	switch {
	case n < len(e.Route.Hops): // a pointer on the way
		m.at, m.size = e.Route.Hops[n].Offset, 8
		if b.counter != nil {
			m.arg, _ = b.line.Add(e.Route.Pointer(n+1).As(dynevent.X64), m.label.Text+" there", m.span)
		}
	case e.Field.Encoding == value.String:
		m.text, m.size, m.user = true, 1, m.user || e.Type == dynevent.Ustring
	case len(e.Next) > 0 && e.Route.Mem:
		for _, a := range e.Next {
			m.size += a.Size()
		}
		m.reads += len(e.Next)
	}
	if m.text && i > 0 && e.Route.Labels[i-1].InKernel() {
		return nil // the text of a kernel object is not in user memory, and shows a fault by itself
	}
	p := b.proofOf(m)
	if p != nil && m.text {
		b.texts = append(b.texts, p)
	}
	return p
}

// head adds the fetchargs that prove that the first bytes of e, behind the i-th pointer,
// were there: the first one of single bytes, or 8.
func (b *builder) head(e encode.Encoded, i, n int) *value.Proof {
	m := piece{
		pointer: e.Route.Pointer(n), user: e.Route.Marked(i), label: e.Route.Labels[i],
		at: e.Route.Off, size: 8, reads: 1, span: e.Span,
	}
	first := dynevent.X64
	if e.Type == dynevent.X8 {
		m.size, first = 1, dynevent.X8
	}
	if b.counter != nil {
		m.arg, _ = b.line.Add(m.there(m.at).As(first), m.label.Text+" there", m.span)
	}
	p := b.proofOf(m)
	if p != nil {
		p.From, p.To = m.at, m.at+int64(m.size)
	}
	return p
}

// proofOf adds a proof of m, of the kind that the kernel allows.
func (b *builder) proofOf(m piece) *value.Proof {
	switch {
	case b.counter != nil:
		return b.counted(m)
	case !b.r.fn.Target.Features.Immediate:
		return nil
	case b.r.fn.Target.Features.Keeps:
		return b.through(m)
	case m.text:
		return &value.Proof{Kind: value.Itself}
	}
	return b.itself(m)
}

// firstByte returns the index of the fetcharg of the first byte of a text.
func (b *builder) firstByte(m piece) int {
	i, _ := b.line.Add(m.there(m.at).As(dynevent.X8), m.label.Text+" there", m.span)
	return i
}

func (b *builder) through(m piece) *value.Proof {
	starts, any := windowsOf(m.label, m.at, int64(m.size))
	var args []dynevent.Arg
	for _, off := range starts {
		args = append(args, m.there(off).Then(dynevent.Hop{Offset: beyond}).As(dynevent.Ustring))
	}
	p := b.byStrings(&value.Proof{Kind: value.Through, Any: any}, args, false, m)
	if p != nil && m.text {
		p.Read = b.firstByte(m) + 1
	}
	return p
}

func (b *builder) itself(m piece) *value.Proof {
	asText := func(off int64) dynevent.Arg { return m.there(off).As(dynevent.String) }
	args := []dynevent.Arg{asText(m.at)}
	if m.size > 1 {
		args = append(args, asText(m.at+1))
	}
	if m.size >= 8 { // a pointer into a program's libraries or stack never has 0 there
		args = append(args, asText(m.at+5))
	}
	if m.label.Start != m.at {
		args = append(args, asText(m.label.Start))
	}
	p := &value.Proof{Kind: value.Itself, Any: true, From: min(m.at, m.label.Start), To: m.at + int64(m.size)}
	// A string that is read to its end may be too long for a record, which is then
	// lost. Where text is likely, use only what is fetched anyway.
	return b.byStrings(p, args, m.size == 1, m)
}

// windowsOf returns the starts of windows of 8 bytes. If they can be read, so can the size
// bytes at offset at. For a long value they are its two ends, which are on the same page
// or on adjacent ones. For a short value it is a window within its struct, which other
// members of the struct share. Without a struct, they are the 8 bytes from its start and
// the 8 bytes up to its end: one of them lies on the page of the value, and any is set.
func windowsOf(l route.Label, at, size int64) (starts []int64, any bool) {
	last := at + size - 8
	whole := int64(0)
	if n, ok := btf.Size(btf.OrVoid(l.Target)); ok {
		whole = int64(n)
	}
	switch end := l.Start + whole; {
	case size == 8:
		return []int64{at}, false
	case size > 8:
		return []int64{at, last}, false
	case at < l.Start || at+size > end || whole < 8:
		return []int64{at, last}, true
	default:
		cell := l.Start + (at-l.Start)&^7
		return []int64{min(max(cell, last), end-8)}, false
	}
}

// byStrings adds the strings of a proof, or if shared is set, only uses those that
// are there already.
func (b *builder) byStrings(p *value.Proof, args []dynevent.Arg, shared bool, m piece) *value.Proof {
	for _, a := range args {
		a, text, limit := b.r.enc.Fitted(a)
		if len(text) > limit || shared && !b.line.Has(text) {
			continue
		}
		i, ok := b.line.Add(a, m.label.Text+" there", m.span)
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

// trial adds the fetcharg that shows how this kernel treats a fault. It comes after
// the proofs that need it, because the room that is left for strings only shrinks.
func (b *builder) trial(at spec.Span) {
	if len(b.proofs) == 0 {
		return
	}
	arg, _ := b.line.Add(trialArg, "trial", at)
	for _, p := range b.proofs {
		p.Trial = arg
	}
}
