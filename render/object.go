package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A textWalk is the Visitor that appends text, on one line or as a tree with a line for
// each member.
type textWalk struct {
	opts  *Options
	dst   []byte
	tree  bool
	types bool          // also show the C types of members
	cut   *value.Object // the object that was not fetched completely, to say so at its end; else nil
	addr  uint64        // address of the object, still to be shown; 0 if there is none or it was shown
	open  []level       // the structs and arrays that are open
	depth int           // of the call, for the indentation
}

// A level is a struct or array in a textWalk.
type level struct {
	lines bool // each part has a line of its own
	any   bool // there has been a part
	index int  // of the next element that needs no index
}

func (w *textWalk) begin(dst []byte, tree bool) {
	w.dst, w.tree, w.types, w.cut, w.addr, w.open = dst, tree, false, nil, 0, w.open[:0]
}

func (w *textWalk) Number(t *value.Type, x uint64) { w.dst = texts[t.Form].number(w.opts, t, w.dst, x) }

func (w *textWalk) Text(b []byte, cut bool) {
	if w.dst = w.opts.appendString(w.dst, b); cut {
		w.dst = append(w.dst, "..."...)
	}
}

func (w *textWalk) Block(t *value.Type, b []byte) { w.dst = w.opts.AppendBlock(w.dst, t, b) }

func (w *textWalk) Fault(through *value.PointerCheck, addr uint64, reason value.FaultReason) {
	w.dst = append(w.opts.Paint(w.dst, Unread), "(fault"...)
	if through != nil {
		w.dst = AppendFault(append(w.dst, ": "...), through, addr, reason)
	}
	w.dst = w.opts.Reset(append(w.dst, ')'))
}

func (w *textWalk) Nothing() { w.dst = append(w.dst, '?') }

func (w *textWalk) EmptyList() { w.dst = append(w.dst, "(empty)"...) }

func (w *textWalk) BeginArray(t *value.Type) { w.push(t.Members != nil) }

func (w *textWalk) Element(_, i, last int) {
	w.next()
	at := &w.open[len(w.open)-1]
	if i != at.index || last > i {
		w.dst = strconv.AppendInt(append(w.dst, '['), int64(i), 10)
		if last > i {
			w.dst = strconv.AppendInt(append(w.dst, " ... "...), int64(last), 10)
		}
		w.dst = append(w.dst, "] = "...)
	}
	at.index = last + 1
}

// rests has the texts for the rest of an array.
var rests = [...]string{value.RestZero: "... 0", value.RestAbsent: "... (fault)", value.RestCut: "..."}

func (w *textWalk) EndArray(rest value.Rest) {
	if rest != value.NoRest {
		w.next()
		w.dst = append(w.dst, rests[rest]...)
	}
	w.pop()
}

func (w *textWalk) BeginStruct() { w.push(true) }

func (w *textWalk) Member(_ int, m *value.Member) {
	w.next()
	w.dst = append(AppendEscaped(append(w.dst, '.'), []byte(m.Name), NoQuote), " = "...)
	if w.types {
		w.dst = w.opts.appendType(w.dst, m.C)
	}
}

func (w *textWalk) EndStruct() { w.pop() }

func (w *textWalk) push(lines bool) {
	w.dst = append(w.dst, '{')
	w.open = append(w.open, level{lines: lines && w.tree})
}

// next begins the next part of the innermost struct or array.
func (w *textWalk) next() {
	at := &w.open[len(w.open)-1]
	switch {
	case at.lines:
		if at.any {
			w.dst = append(w.dst, ',')
		} else if len(w.open) == 1 {
			w.appendAddr()
		}
		w.newLine()
	case at.any:
		w.dst = append(w.dst, ", "...)
	}
	at.any = true
}

// pop ends the innermost struct or array.
func (w *textWalk) pop() {
	at := w.open[len(w.open)-1]
	cut := w.cut != nil && len(w.open) == 1
	switch {
	case at.lines && at.any:
		w.dst = append(w.dst, ',')
	case cut && at.any:
		w.dst = append(w.dst, ", "...)
	}
	if cut {
		if at.lines {
			w.newLine()
		}
		w.dst = w.opts.appendCut(w.dst, w.cut)
	}
	w.open = w.open[:len(w.open)-1]
	if at.lines && (at.any || cut) {
		w.newLine()
	}
	w.dst = append(w.dst, '}')
}

// appendAddr appends the address of the object.
func (w *textWalk) appendAddr() {
	if w.addr == 0 {
		return
	}
	w.dst = strconv.AppendUint(append(w.opts.Paint(w.dst, Aside), " /* at 0x"...), w.addr, 16)
	w.dst = w.opts.Reset(append(w.dst, " */"...))
	w.addr = 0
}

// newLine begins a line of a tree.
func (w *textWalk) newLine() {
	w.dst = w.appendIndent(append(w.dst, '\n'))
}

func (w *textWalk) appendIndent(dst []byte) []byte {
	for range min(w.depth, MaxIndent) {
		dst = append(dst, "  "...)
	}
	for range len(w.open) + 1 {
		dst = append(dst, "    "...)
	}
	return dst
}

// MaxIndent is the most levels that lines are indented for the depth of a call. It keeps
// them readable, however deep a recursion is.
const MaxIndent = 64

// AppendTree appends the object val as a tree: its name, then a line for each member, or
// all on one line with Options.Compact. The lines are indented by the depth of the call.
// It appends nothing if val is not an object.
func (f *Field) AppendTree(dst []byte, val *value.Value, depth int) []byte {
	if val.Kind != value.Dump {
		return dst
	}
	o, w := val.Object, &f.text
	w.begin(dst, !f.opts.Compact)
	w.types, w.addr, w.depth = f.opts.Types, o.Addr, depth
	w.dst = append(append(w.appendIndent(dst), f.Label...), " = "...)
	if f.opts.Types {
		w.dst = f.opts.appendType(w.dst, f.C)
	}
	if o.Whole > len(o.Bytes) {
		w.cut = o
	}
	value.View{Zeros: f.opts.Zeros}.Walk(&f.Type, val, w)
	w.appendAddr()
	if f.Form == value.Memory && o.Whole > len(o.Bytes) {
		w.dst = f.opts.appendCut(append(w.dst, ' '), o)
	}
	return append(w.dst, '\n')
}

// appendType appends a C type as a cast, nothing if name is "".
func (o *Options) appendType(dst []byte, name string) []byte {
	if name == "" {
		return dst
	}
	dst = append(o.Paint(dst, Aside), '(')
	dst = append(AppendEscaped(dst, []byte(name), NoQuote), ')')
	return o.Reset(dst)
}

// appendCut appends how many bytes of an object are shown.
func (o *Options) appendCut(dst []byte, of *value.Object) []byte {
	dst = strconv.AppendInt(append(o.Paint(dst, Aside), "/* "...), int64(len(of.Bytes)), 10)
	dst = strconv.AppendInt(append(dst, " of "...), int64(of.Whole), 10)
	return o.Reset(append(dst, " bytes */"...))
}
