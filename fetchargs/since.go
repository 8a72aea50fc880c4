package fetchargs

import (
	"cmp"
	"errors"
	"maps"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The time since an earlier call, and who made that call, is not in the record of a call.
// The reader of the records keeps a clock for each key, which some calls start and others
// stop, and writes the time into the record, as it does for ages, or the task that started
// the clock. So the kernel's filter must pass those calls, too.

// A Clock is one [spec.Since] of a plan.
type Clock struct {
	text       string     // of the spec
	key, shown int        // indexes into the Fields of the first entry probe
	start, end *cond.Test // on fields of that probe; a nil start is every call, a nil end none
}

// Clocks returns the clocks of the plan.
func (p *Plan) Clocks() []Clock { return p.clocks }

// Arg returns the index of the entry's Arg whose place in the record is for the time, in 8
// bytes, or for the task, in [value.TaskSize] bytes.
func (c *Clock) Arg(entry *Probe) int { return entry.Fields[c.shown].Arg }

// Who reports whether the clock shows the task that started it, not the time since.
func (c *Clock) Who(entry *Probe) bool { return entry.Fields[c.shown].Encoding == value.Who }

// Key returns the key of a call. ok is false if it could not be read.
func (c *Clock) Key(d *value.Decoder, data []byte) (key uint64, ok bool) {
	v := d.Value(c.key, data)
	return v.Uint, v.Kind == value.Uint || v.Kind == value.Int
}

// Starts reports whether a call starts the clock of its key.
func (c *Clock) Starts(entry *Probe, d *value.Decoder, data []byte) bool {
	return c.start == nil || holdsAtEntry(c.start, entry, d, data)
}

// Ends reports whether a call stops the clock of its key.
func (c *Clock) Ends(entry *Probe, d *value.Decoder, data []byte) bool {
	return c.end != nil && holdsAtEntry(c.end, entry, d, data)
}

// holdsAtEntry decides t, which is on fields of an entry probe.
func holdsAtEntry(t *cond.Test, entry *Probe, d *value.Decoder, data []byte) bool {
	return t.Holds(&cond.Took{}, func(o cond.Operand) (*value.Field, value.Value) {
		return &entry.Fields[o.Index], d.Value(o.Index, data)
	})
}

// room returns the field for what x tells, and the fetcharg whose place in the record it
// takes. What the kernel stores there is overwritten.
func room(x *spec.Since) (value.Field, dynevent.Arg) {
	stack := dynevent.Base{Kind: dynevent.StackPointer}
	if x.Who {
		const words = value.TaskSize / 8
		return value.Field{Encoding: value.Who, Size: 8, Count: words}, dynevent.Arg{Base: stack, Hops: []dynevent.Hop{{}}, Type: dynevent.X64, Count: words}
	}
	return value.Field{Encoding: value.Age, Type: &btf.Int{Name: "u64", Size: 8}, Format: "ago", Size: 8}, dynevent.Arg{Base: stack, Type: dynevent.X64}
}

// since fetches what the clock of x needs, and adds a field for what x tells.
func (r *resolver) since(x *spec.Since, w cond.Want) (cond.Ref, bool) {
	text := x.String()
	switch {
	case r.timing == x.Word():
		r.Fail(x.Span, "", "one %s(...) cannot be in another", r.timing)
		return cond.Ref{}, false
	case r.timing != "":
		r.Fail(x.Span, "", "%s(...) cannot be in %s(...)", x.Word(), r.timing)
		return cond.Ref{}, false
	case w.Format.Text != "":
		r.Fail(w.Format.Span, "leave it out", "%s(...) is shown as %s", x.Word(), spec.Tells(x.Who))
		return cond.Ref{}, false
	case !r.clock(x, text):
		return cond.Ref{}, false
	case !r.target.Live && !r.target.Calls && x.Who:
		r.Fail(x.Span, "leave it out, or trace with tsnoop", "emitted lines cannot tell who made another call: tsnoop itself remembers the task")
		return cond.Ref{}, false
	case !r.target.Live && !r.target.Calls:
		r.Fail(x.Span, "leave it out, or trace with tsnoop", "emitted lines cannot tell how long ago another call was: tsnoop itself keeps the time")
		return cond.Ref{}, false
	}
	for i, e := range r.entry.Exprs {
		if w.Hidden && e == text {
			return r.entry.Values.Ref(i), true
		}
	}
	f, arg := room(x)
	var ok bool
	if f.Arg, ok = r.entry.argFor("since "+text+" ", arg, cmp.Or(w.Name, x.Word()), x.Span); !ok {
		return cond.Ref{}, false
	}
	f.Clock = true
	r.label(&f, w)
	at := r.entry.Values.Ref(len(r.entry.Fields))
	r.entry.Fields = append(r.entry.Fields, f)
	r.entry.Exprs, r.entry.Used = append(r.entry.Exprs, text), true
	for i := range r.out.clocks {
		if c := &r.out.clocks[i]; c.text == text && c.shown < 0 {
			c.shown = at.Index
		}
	}
	return at, true
}

// clock adds the clock of x to the plan, unless the plan has it already.
func (r *resolver) clock(x *spec.Since, text string) bool {
	for i := range r.out.clocks {
		if r.out.clocks[i].text == text {
			return true
		}
	}
	r.timing = x.Word()
	defer func() { r.timing = "" }()
	before := len(r.Errs)
	key, ok := r.Fetch(cond.Want{X: x.Key, Hidden: true})
	switch {
	case !ok:
		return false
	case key.Values.At == dynevent.Return:
		r.Fail(x.Key.Where(), "", "%s is known only when %s returns; %s(...) needs its key at the entry", x.Key, r.fn.Name, x.Word())
		return false
	case key.Field().Encoding != value.Integer && key.Field().Encoding != value.BitField:
		r.Fail(x.Key.Where(), "", "%s is not a key: a key is a number or an address", x.Key)
		return false
	}
	c := Clock{text: text, key: key.Index, shown: -1}
	for _, limit := range []struct {
		is   spec.Cond
		test **cond.Test
	}{{x.Start, &c.start}, {x.End, &c.end}} {
		if limit.is == nil {
			continue
		}
		t := cond.Of(&r.Collector, r, limit.is)
		if len(r.Errs) > before {
			return false
		}
		if _, exit := t.Sides(); exit {
			r.Fail(limit.is.Where(), "", "%s(...) needs its conditions at the entry; what %s returns is not known then", x.Word(), r.fn.Name)
			return false
		}
		*limit.test = t
	}
	r.out.clocks = append(r.out.clocks, c)
	return true
}

// passing sets a filter for the kernel that passes all calls that start or stop clocks,
// besides those that the spec asks for. User space decides which are shown.
func (r *resolver) passing(all []*cond.Test) {
	if len(all) == 0 {
		return
	}
	r.out.check = cond.Join(true, all...)
	r.out.asked = r.out.check
	each := r.out.check.And
	if each == nil {
		each = []*cond.Test{r.out.check}
	}
	var asked, pass []*cond.Test
	for _, t := range each {
		if _, exit := t.Sides(); exit {
			continue
		}
		if _, _, ok := r.entry.filter(t, maps.Clone(r.entry.known)); ok {
			asked = append(asked, t)
		}
	}
	for i := range r.out.clocks {
		c := &r.out.clocks[i]
		if c.start == nil {
			asked = nil
			break
		}
		if pass = append(pass, c.start); c.end != nil {
			pass = append(pass, c.end)
		}
	}
	if r.out.Partial = true; len(asked) > 0 {
		r.push(cond.Join(false, append(pass, cond.Join(true, asked...))...))
	}
}

// savedClock is the saved encoding of the time of a clock. It has a word of its own because
// saved forms have no member for [value.Field.Clock].
const savedClock = int(value.Strings) + 1

// A savedTimer is the saved form of a Clock.
type savedTimer struct {
	Text  string     `json:"text"`
	Key   int        `json:"key"` // numbers of fields
	Age   int        `json:"age"` // of what the clock shows
	Start *savedTest `json:"start,omitempty"`
	End   *savedTest `json:"end,omitempty"`
}

func saveClocks(clocks []Clock) (all []savedTimer) {
	for i := range clocks {
		c := &clocks[i]
		all = append(all, savedTimer{c.text, c.key, c.shown, saveTest(c.start), saveTest(c.end)})
	}
	return all
}

func loadClocks(saved []savedTimer, p *Plan) (all []Clock, err error) {
	for i := range saved {
		c, err := saved[i].load(p)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// load refuses clocks on anything but the first entry probe.
func (s *savedTimer) load(p *Plan) (c Clock, err error) {
	c = Clock{text: s.Text, key: s.Key, shown: s.Age}
	entry := p.Entry()
	if entry == nil || c.key < 0 || c.key >= len(entry.Fields) || c.shown < 0 || c.shown >= len(entry.Fields) || !entry.Fields[c.shown].Clock {
		return c, errors.New("a clock without what it needs")
	}
	for _, cond := range []struct {
		saved *savedTest
		test  **cond.Test
	}{{s.Start, &c.start}, {s.End, &c.end}} {
		if cond.saved == nil {
			continue
		}
		t, err := cond.saved.load(p, 0)
		if err != nil {
			return c, err
		}
		if !t.IsOf(dynevent.Entry, 0) {
			return c, errors.New("a clock that asks for more than its record")
		}
		*cond.test = t
	}
	return c, nil
}
