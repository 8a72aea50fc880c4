// Package readcheck adds to the line of a probe what shows whether the memory that it reads was
// there: a fetch that faults leaves what was in the record before.
package readcheck

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/line"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Builder adds the read checks for one probe.
type Builder struct {
	fn      *find.Function
	kind    dynevent.Kind
	enc     *encode.Encoder
	line    *line.Line
	counter *Counter

	checks []*value.ReadCheck
	texts  []*value.ReadCheck
	reads  []*value.ReadCheck // checks that use the counter, or the witness

	misses func(before bool) (count dynevent.Arg, label string) // before or after a read
	last   int                                                  // 1 plus the fetcharg that follows all of reads; 0 if none has to
}

// New returns a Builder for a probe of a kind. Without a counter, checks are strings at the places
// in question, except for objects if there is a witness.
func New(fn *find.Function, kind dynevent.Kind, enc *encode.Encoder, line *line.Line, counter *Counter) *Builder {
	return &Builder{fn: fn, kind: kind, enc: enc, line: line, counter: counter}
}

// Counts reports whether checks count faults.
func (v *Builder) Counts() bool { return v.counter != nil }

// CountRoom returns how many bytes of the record the counts of all reads take with one more.
func (v *Builder) CountRoom() int { return 16*(len(v.reads)+1) + 8*(v.counter.depth+2) }

// ByStrings reports whether there are checks by strings. They need a string after them that
// cannot fault: beside it there is room in the record, without which no fault differs from
// another. See Room and HasTexts.
func (v *Builder) ByStrings() bool { return len(v.checks)+len(v.texts) > 0 }

// HasTexts reports whether there are checks of texts. Where these end is shown by the string
// after them, which must have letters: the name of the task.
func (v *Builder) HasTexts() bool { return len(v.texts) > 0 }

// EndTexts says that text ends before the fetcharg next begins.
func (v *Builder) EndTexts(next int) {
	for _, check := range v.texts {
		check.Last = next + 1
	}
}

const (
	// Beyond is an offset, of 32 bits, far from any place that user memory may
	// point to. It is better if nothing is found there; if something is, it is
	// copied for nothing. With ustring the kernel looks only in the program's own
	// memory, and not wherever the program wants it to look.
	//
	// The type symstr would need no second step, but the kernel writes it without
	// regard to the room in the record: a program that changes its memory meanwhile
	// could make it write past the record (6.2 to 7.3).
	Beyond = -2147483647
)

// Trial faults at the first of two hops.
var Trial = dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Immediate, N: 0x80_0000_0000_0000}, Hops: make([]dynevent.Hop, 2), Type: dynevent.String}

// Room is a string that cannot fault, for checks that need one. It is a byte long, and costs
// less than the name of the task, which the kernel reads byte by byte.
var Room = dynevent.Arg{Base: dynevent.Base{Kind: dynevent.EmptyText}, Type: dynevent.String}

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

// Check adds the fetchargs that prove that the memory at the i-th pointer, the value
// after n hops, was there. arg is the index of the fetcharg of e.
func (v *Builder) Check(e encode.Encoded, i, n, arg int) *value.ReadCheck {
	m := piece{
		pointer: e.Route.Pointer(n), user: e.Route.Marked(i), label: e.Route.Labels[i],
		at: e.Route.Off, size: v.line.Args[arg].Size(), arg: arg, reads: 1, span: e.Span,
	}
	switch {
	case n < len(e.Route.Hops): // a pointer on the way
		m.at, m.size = e.Route.Hops[n].Offset, 8
		if v.counter != nil {
			m.arg, _ = v.line.Add(e.Route.Pointer(n+1).As(dynevent.X64), m.label.Text+" there", m.span)
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
	p := v.checkOf(m)
	if p != nil && m.text {
		v.texts = append(v.texts, p)
	}
	return p
}

// Head adds the fetchargs that prove that the first bytes of e, at the i-th pointer,
// were there: the first one of single bytes, or 8.
func (v *Builder) Head(e encode.Encoded, i, n int) *value.ReadCheck {
	m := piece{
		pointer: e.Route.Pointer(n), user: e.Route.Marked(i), label: e.Route.Labels[i],
		at: e.Route.Off, size: 8, reads: 1, span: e.Span,
	}
	first := dynevent.X64
	if e.Type == dynevent.X8 {
		m.size, first = 1, dynevent.X8
	}
	if v.counter != nil {
		m.arg, _ = v.line.Add(m.there(m.at).As(first), m.label.Text+" there", m.span)
	}
	p := v.checkOf(m)
	if p != nil {
		p.From, p.To = m.at, m.at+int64(m.size)
	}
	return p
}

// checkOf adds a check of m, of the kind that the kernel allows.
func (v *Builder) checkOf(m piece) *value.ReadCheck {
	switch {
	case v.counter != nil:
		return v.counted(m)
	case !v.fn.Target.Features.Immediate:
		return nil
	case v.fn.Target.Features.Keeps:
		return v.through(m)
	case m.text:
		return &value.ReadCheck{Kind: value.Itself}
	}
	return v.itself(m)
}

// firstByte returns the index of the fetcharg of the first byte of a text.
func (v *Builder) firstByte(m piece) int {
	i, _ := v.line.Add(m.there(m.at).As(dynevent.X8), m.label.Text+" there", m.span)
	return i
}

func (v *Builder) through(m piece) *value.ReadCheck {
	starts, any := windowsOf(m.label, m.at, int64(m.size))
	p := v.byStrings(&value.ReadCheck{Kind: value.Through, Any: any}, false, m, starts...)
	if p != nil && m.text {
		p.Read = v.firstByte(m) + 1
	}
	return p
}

func (v *Builder) itself(m piece) *value.ReadCheck {
	starts := []int64{m.at}
	if m.size > 1 {
		starts = append(starts, m.at+1)
	}
	if m.size >= 8 { // a pointer into a program's libraries or stack never has 0 there
		starts = append(starts, m.at+5)
	}
	if m.label.Start != m.at {
		starts = append(starts, m.label.Start)
	}
	p := &value.ReadCheck{Kind: value.Itself, Any: true, From: min(m.at, m.label.Start), To: m.at + int64(m.size)}
	// A string that is read to its end may be too long for a record, which is then
	// lost. Where text is likely, use only what is fetched anyway.
	return v.byStrings(p, m.size == 1, m, starts...)
}

// windowsOf returns the starts of windows of 8 bytes. If they can be read, so can the size
// bytes at offset at. For a long value they are its two ends, which are on the same page
// or on adjacent ones. For a short value it is a window within its struct, which other
// members of the struct share. Without a struct, they are the 8 bytes from its start and
// the 8 bytes up to its end: one of them lies on the page of the value, and any is set.
func windowsOf(l route.Label, at, size int64) (starts []int64, any bool) {
	last := at + size - 8
	whole := int64(0)
	if n, ok := btf.Size(l.Target); ok {
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

// byStrings adds the strings of a check, which begin so many bytes from m's pointer, or if
// shared is set, only uses those that are there already.
func (v *Builder) byStrings(p *value.ReadCheck, shared bool, m piece, starts ...int64) *value.ReadCheck {
	for _, off := range starts {
		a := m.there(off).As(dynevent.String)
		if p.Kind == value.Through {
			a = a.Then(dynevent.Hop{Offset: Beyond}).As(dynevent.Ustring)
		}
		a, text, limit := v.enc.Fitted(a)
		if len(text) > limit || shared && !v.line.Has(text) {
			continue
		}
		i, ok := v.line.Add(a, m.label.Text+" there", m.span)
		if !ok {
			return nil
		}
		p.Args = append(p.Args, i)
	}
	if len(p.Args) == 0 || p.Kind == value.Through && len(p.Args) < len(starts) {
		return nil
	}
	v.checks = append(v.checks, p)
	return p
}

// AddTrial adds the fetcharg that shows how this kernel treats a fault. It comes after
// the checks that need it, because the room that is left for strings only shrinks.
func (v *Builder) AddTrial(at spec.Span) {
	if len(v.checks) == 0 {
		return
	}
	arg, _ := v.line.Add(Trial, "trial", at)
	for _, p := range v.checks {
		p.Trial = arg
	}
}

// Windows adds the fetchargs that show which pages could be read of a part of an object.
func (v *Builder) Windows(e encode.Encoded, f *value.Field) (all []value.Window) {
	labels := e.Route.Labels
	if len(labels) == 0 || labels[len(labels)-1].Text == "" {
		return nil
	}
	m := piece{
		pointer: e.Route.Pointer(len(e.Route.Hops)), user: e.Route.User, label: labels[len(labels)-1],
		at: e.Route.Off, size: f.Count, arg: f.Arg, reads: f.Dump.Args, span: e.Span,
	}
	add := func(start, end int, p *value.ReadCheck) {
		if p != nil {
			p.From, p.To = e.Route.Off+int64(start), e.Route.Off+int64(end)
			all = append(all, value.Window{Range: value.Range{Start: start, End: end}, ReadCheck: p})
		}
	}
	// If there are several places, it is enough that one of them could be read.
	readable := func(kind value.ReadCheckKind, at ...int) *value.ReadCheck {
		var starts []int64
		for _, n := range at {
			starts = append(starts, m.at+int64(n))
		}
		return v.byStrings(&value.ReadCheck{Kind: kind, Any: len(at) > 1 || kind == value.Itself}, false, m, starts...)
	}
	start, end := f.Dump.At, f.Dump.At+f.Count
	switch {
	case v.counter != nil:
		add(start, end, v.counted(m))
	case v.witness(e) != nil:
		add(start, end, v.witnessed(v.witness(e), m))
	case !v.fn.Target.Features.Immediate:
	case !v.fn.Target.Features.Keeps:
		add(start, start+1, readable(value.Itself, start))
		add(end-1, end, readable(value.Itself, end-1))
	case f.Count < 8:
		add(start, end, readable(value.Through, start, end-8))
	default:
		add(start, start+8, readable(value.Through, start))
		add(end-8, end, readable(value.Through, end-8))
	}
	return all
}
