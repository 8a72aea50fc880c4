package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// maxTypes is the most bytes of BTF that saved plans may have: a few hundred types
// take some KiB.
const maxTypes = 1 << 20

// Load reads what Save has written. The data may come from anywhere: whatever it is, the
// plans are safe to use. Errors wrap ErrSaved.
func Load(data []byte) ([]*plan.Plan, error) {
	s, err := unmarshal(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSaved, err)
	}
	if len(s.Types) > maxTypes {
		return nil, fmt.Errorf("%w: types of %d bytes", ErrSaved, len(s.Types))
	}
	types, err := btf.Load(s.Types)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSaved, err)
	}
	macros := s.macros()
	plans := make([]*plan.Plan, len(s.Plans))
	for i := range s.Plans {
		if plans[i], err = s.Plans[i].load(types, macros); err != nil {
			return nil, fmt.Errorf("%w: plan %d: %w", ErrSaved, i, err)
		}
	}
	return plans, nil
}

func unmarshal(data []byte) (s saved, err error) {
	var head struct {
		Version int `json:"version"` // the first builds wrote "Version", which matches
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return s, atByte(err)
	}
	switch v := head.Version; {
	case v >= 1 && v < savedVersion:
		return s, fmt.Errorf("a build from before the first release wrote version %d of them: replay the recording with that build", v)
	case v != savedVersion:
		return s, versionError(v)
	}
	return s, Strictly(data, &s)
}

func (s *savedPlan) load(types func(int) (btf.Type, error), macros func(arch string) *constants.Table) (*plan.Plan, error) {
	wanted, err := s.spec()
	if err != nil {
		return nil, err
	}
	p := &plan.Plan{
		Spec: wanted, Func: &btf.Func{Name: s.Func, Module: s.Module}, Arch: abi.Named(s.Arch), Partial: s.Partial,
		Notes: s.Notes, Addresses: s.Addresses, Renames: s.Renames, Starts: s.Starts,
	}
	if p.Arch == nil {
		return nil, fmt.Errorf("unknown architecture %q", s.Arch)
	}
	p.Macros = macros(s.Arch)
	if err := s.loadProbes(p, types); err != nil {
		return nil, err
	}
	if p.Clocks, err = loadClocks(s.Clocks, p); err == nil && s.Check != nil {
		p.Check, err = s.Check.load(p, 0)
		if err == nil && p.Starts != "" && !p.Check.IsOf(dynevent.Entry, 0) {
			err = errors.New("a clock that is started by more than its record")
		}
	}
	if p.Asked = p.Check; err == nil && s.Asked != nil {
		p.Asked, err = s.Asked.load(p, 0)
	}
	return p, err
}

// spec returns the alternative of the user's spec that was traced, as a spec for one function.
func (s *savedPlan) spec() (*spec.Spec, error) {
	wanted, err := spec.Parse(s.Spec)
	if err != nil {
		return nil, err
	}
	for wanted != nil && wanted.Nth < s.Nth {
		wanted = wanted.Else
	}
	if wanted == nil || s.Nth < 0 {
		return nil, fmt.Errorf("%s has no alternative %d", s.Spec, s.Nth)
	}
	grouped := strings.Contains(s.Func, ":") // GROUP:NAME, which is not a function
	if spec.IsGlob(wanted.Func.Text) || grouped {
		wanted = wanted.For(s.Module, s.Func)
	}
	if grouped {
		wanted.Module = spec.Name{}
	}
	if name, _ := syscalls.NamesOf(s.Func); name != "" && s.Func != wanted.Func.Text {
		wanted = wanted.ForSyscall(s.Func)
	}
	return wanted, nil
}

// loadProbes adds the probes to p. It returns an error if they do not fit each other.
func (s *savedPlan) loadProbes(p *plan.Plan, types func(int) (btf.Type, error)) error {
	for i := range s.Probes {
		probe, err := s.Probes[i].load(p, types)
		if err != nil {
			return err
		}
		if next := len(p.Of(probe.Side)); probe.Part != next || probe.Side == dynevent.Entry && len(p.Of(dynevent.Return)) > 0 {
			return fmt.Errorf("part %d of the %s is out of order", probe.Part, probe.Side)
		}
		p.Probes = append(p.Probes, probe)
	}
	switch {
	case len(p.Probes) == 0:
		return errors.New("no probe")
	case len(p.Probes) > plan.MaxProbes:
		return fmt.Errorf("%d probes", len(p.Probes))
	case p.SameFilters() != nil:
		return p.SameFilters()
	case checkRest(p) != nil:
		return checkRest(p)
	case p.Renames != "" && (len(p.Probes) != 1 || p.Entry() == nil || len(p.Entry().Fields) < 2):
		return errors.New("not a plan for the names of tasks")
	}
	return nil
}

func (s *savedProbe) load(of *plan.Plan, types func(int) (btf.Type, error)) (*plan.Probe, error) {
	side, err := savedSides.number(s.Side, "side")
	if err != nil {
		return nil, err
	}
	kind, ok := dynevent.Named(s.Kind)
	if !ok || kind.Side() != dynevent.Side(side) {
		return nil, fmt.Errorf("a %q is not a probe of the %s", s.Kind, s.Side)
	}
	if len(s.Args) > dynevent.MaxArgs {
		return nil, errors.New("too many arguments")
	}
	p := &plan.Probe{Plan: of, Kind: kind, Side: dynevent.Side(side), Part: s.Part, Symbols: s.Symbols, Event: s.Event, Filter: s.Filter, OnlyComm: s.OnlyComm}
	for i := range s.Args {
		a, err := s.Args[i].load(of.Spec.Text)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		p.Args = append(p.Args, a)
	}
	for own, arg := range map[*int]*int{&p.Comm: s.Comm, &p.Caller: s.Caller, &p.Stack: s.Stack} {
		*own = -1
		if arg == nil {
			continue
		}
		if *own = *arg; *own < 0 || *own >= len(p.Args) {
			return nil, errors.New("argument out of range")
		}
	}
	if p.Side == dynevent.Return && p.Caller >= 0 {
		return nil, errors.New("the caller of a return is not an argument")
	}
	for i := range s.Fields {
		f, err := s.Fields[i].load(p, types)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", s.Fields[i].Label, err)
		}
		p.Fields = append(p.Fields, f)
	}
	if p.Spare, err = s.Spare.load(p); err == nil {
		err = s.Share.load(p)
	}
	return p, err
}

func (s *savedArg) load(text string) (a dynevent.Arg, err error) {
	a = dynevent.Arg{Name: s.Name, Count: s.Count}
	if a.Span, err = s.Span.load(text); err != nil {
		return a, err
	}
	if len(a.Name) > dynevent.MaxArgName || !dynevent.IsName(a.Name) {
		return a, fmt.Errorf("%q is not a valid name", a.Name)
	}
	var ok bool
	if a.Base, ok = s.base(); !ok {
		return a, fmt.Errorf("unknown start %q", s.Base)
	}
	for _, h := range s.Hops {
		a.Hops = append(a.Hops, dynevent.Hop(h))
	}
	if a.Type, ok = dynevent.ParseType(s.Type); !ok || a.Count < 0 || a.Count > dynevent.MaxElements || a.Count > 0 && a.IsString() {
		return a, fmt.Errorf("unknown type %q of %d elements", s.Type, a.Count)
	}
	if (a.Type == dynevent.CommText) != (a.Base.Kind == dynevent.Comm && len(a.Hops) == 0) {
		return a, fmt.Errorf("%s cannot be of type %q", a.Base, s.Type)
	}
	return a, nil
}

func (s *savedArg) base() (dynevent.Base, bool) {
	if s.Field == "" {
		return dynevent.ParseBase(s.Base)
	}
	for kind, word := range savedFields {
		if name, ok := strings.CutPrefix(s.Base, "$"); ok && word == s.Field && dynevent.IsName(name) {
			return dynevent.Base{Kind: kind, Name: name}, true
		}
	}
	return dynevent.Base{}, false
}

// load returns an error if the span is not within text, the text of the spec.
func (s savedSpan) load(text string) (spec.Span, error) {
	if s[0] < 0 || s[0] > s[1] || s[1] > len(text) {
		return spec.Span{}, fmt.Errorf("bytes %d to %d of a spec of %d", s[0], s[1], len(text))
	}
	return spec.Span{Pos: s[0], End: s[1]}, nil
}

// maxHZ is more than any kernel's CONFIG_HZ.
const maxHZ = 10000

// load returns an error if the field breaks a rule that decoding relies on.
func (s *savedField) load(p *plan.Probe, types func(int) (btf.Type, error)) (f value.Field, err error) {
	encoding, err := savedEncodings.number(s.Encoding, "encoding")
	if err != nil {
		return f, err
	}
	f = value.Field{
		Label: s.Label, Expr: s.Expr, Alias: s.Alias, Name: s.Name, Format: s.Format, Encoding: value.Encoding(encoding), Arg: s.Arg, Size: s.Size, Count: s.Count,
		Whole: s.Whole, Skip: s.Skip, Bits: s.Bits, Split: s.Split, Signed: s.Signed, BigEndian: s.BigEndian, Add: s.Add,
		Hidden: s.Hidden, Refetched: s.Again, Reason: s.Why, Bound: (*value.Bound)(s.Bound), Items: s.Items, Use: (*value.Use)(s.Use), HZ: s.HZ, Boot: s.Boot, Clock: encoding == savedClock || encoding == int(value.Who), Macros: p.Plan.Macros,
	}
	if encoding == savedClock {
		f.Encoding = value.Age
	}
	if f.Path = s.Path.load(0); !isPath(p, f.Path) || f.Path != nil && f.Encoding != value.String {
		return f, errors.New("impossible path")
	}
	if f.Macros.Set(s.Set) != nil || value.FormatNamed(s.Set) != nil {
		f.Set, f.By = s.Set, s.By
	}
	if s.By < 0 || s.By > len(p.Args) {
		return f, errors.New("nothing chooses the set of constants")
	}
	if s.HZ < 0 || s.HZ > maxHZ {
		return f, errors.New("impossible jiffies")
	}
	if f.Type, err = types(s.Type); err != nil {
		return f, err
	}
	for i := range s.Guards {
		g, err := s.Guards[i].load(p)
		if err != nil {
			return f, err
		}
		f.PointerChecks = append(f.PointerChecks, g)
	}
	if s.Dump != nil {
		if f.Dump, err = s.Dump.load(p); err != nil {
			return f, err
		}
	}
	return f, checkField(p, &f)
}

func (s *savedPointerCheck) load(p *plan.Probe) (g value.PointerCheck, err error) {
	space, err := savedSpaces.number(s.Space, "space")
	if err != nil {
		return g, err
	}
	g = value.PointerCheck{Label: s.Label, Arg: s.Arg, Space: value.Space(space)}
	if !hasArg(p, g.Arg) {
		return g, errors.New("a guard out of range")
	}
	if g.ReadCheck, err = s.Proof.load(p); err != nil {
		return g, err
	}
	g.Head, err = s.Head.load(p)
	return g, err
}

func (s *savedReadCheck) load(p *plan.Probe) (*value.ReadCheck, error) {
	if s == nil {
		return nil, nil
	}
	kind, err := savedReadChecks.number(s.Kind, "proof")
	if err != nil {
		return nil, err
	}
	check := &value.ReadCheck{
		Kind: value.ReadCheckKind(kind), Args: s.Args, Any: s.Any, Trial: s.Trial, From: s.From, To: s.To,
		Read: s.Read, Reads: s.Reads, Addr: s.Addr, End: s.End, Last: s.Last,
	}
	used := append([]int{check.Trial}, check.Args...)
	for _, arg := range []int{check.Read, check.Last} {
		if arg != 0 {
			used = append(used, arg-1)
		}
	}
	if least, counts := map[value.ReadCheckKind]int{value.Counted: 2, value.Witnessed: 1}[check.Kind]; counts {
		used = append(used, check.Read-2, check.Read-1+check.Reads)
		if len(check.Args) < least || check.Reads < 1 {
			return nil, errors.New("a proof without what it needs")
		}
	}
	if slices.ContainsFunc(used, func(i int) bool { return !hasArg(p, i) }) {
		return nil, errors.New("a proof out of range")
	}
	return check, nil
}

func (s *savedTest) load(p *plan.Plan, depth int) (t *cond.Test, err error) {
	switch {
	case depth > spec.MaxNesting:
		return nil, spec.ErrNesting
	case s == nil || s.And != nil && s.Or != nil:
		return nil, errors.New("no condition")
	case s.And == nil && s.Or == nil:
		return s.comparison(p)
	}
	t = &cond.Test{}
	for i, kid := range append(s.And, s.Or...) {
		k, err := kid.load(p, depth+1)
		if err != nil {
			return nil, err
		}
		if i < len(s.And) {
			t.And = append(t.And, k)
		} else {
			t.Or = append(t.Or, k)
		}
	}
	return t, nil
}

func (s *savedTest) comparison(p *plan.Plan) (t *cond.Test, err error) {
	t = &cond.Test{Op: spec.Op(s.Op), Negated: s.Negated, Against: s.Right != nil}
	_, ordered := cond.Opposite(t.Op)
	if !ordered && t.Op != "&" && t.Op != "~" {
		return nil, fmt.Errorf("unknown comparison %q", s.Op)
	}
	if s.Left != nil && s.Left.Side == savedDuration {
		if t.Elapsed = true; !ordered || t.Against || s.Value != nil && s.Value.Kind != savedValues[value.Uint] {
			return nil, errors.New("a duration that is compared with no time")
		}
	} else if t.Left, err = s.Left.load(p); err != nil {
		return nil, err
	}
	if t.Against {
		t.Right, err = s.Right.load(p)
		return t, err
	}
	v := s.Value
	if v == nil {
		return nil, errors.New("a comparison with nothing")
	}
	kind, err := savedValues.number(v.Kind, "value")
	if err != nil {
		return nil, err
	}
	if v.Bits < 0 || v.Bits > 8*len(v.Bytes) {
		return nil, errors.New("a prefix that is longer than its address")
	}
	t.Value = cond.Constant{Num: v.Num, Mask: v.Mask, Text: v.Text, Bytes: v.Bytes, Bits: v.Bits, Kind: value.Kind(kind), Shown: v.Shown}
	return t, nil
}

func (s *savedOperand) load(p *plan.Plan) (o cond.Operand, err error) {
	if s == nil {
		return o, errors.New("a comparison of nothing")
	}
	side, err := savedSides.number(s.Side, "side")
	if err != nil {
		return o, err
	}
	o = cond.Operand{Side: dynevent.Side(side), Part: s.Part, Index: s.Field}
	parts := p.Of(o.Side)
	if o.Part < 0 || o.Part >= len(parts) || o.Index < 0 || o.Index >= len(parts[o.Part].Fields) {
		return o, errors.New("a condition on a value that is not there")
	}
	return o, nil
}
