package fetchargs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// ErrSaved is wrapped by the errors of Load.
var ErrSaved = errors.New("saved plans cannot be used")

// savedVersion changes when what older or newer programs have written cannot be
// read any more.
const savedVersion = 1

// maxTypes bounds the BTF among saved plans, in bytes: a few hundred types take
// some KiB.
const maxTypes = 1 << 20

// Saved plans, as JSON. Names are those of Plan, Probe and Field.
type (
	saved struct {
		Version int
		Types   []byte // BTF
		Plans   []savedPlan
	}
	savedPlan struct {
		Spec          string
		Func, Module  string
		Arch          string
		Notes         []string `json:",omitempty"`
		Addresses     []string `json:",omitempty"`
		Renames       string   `json:",omitempty"`
		Entry, Return *savedProbe
		Check         *savedTest `json:",omitempty"`
		Partial       bool       `json:",omitempty"`
	}
	savedProbe struct {
		Symbols             []string
		Event               string
		Args                []savedArg
		Fields              []savedField
		Filter              string
		OnlyComm            bool `json:",omitempty"`
		Comm, Caller, Stack int
	}
	savedArg struct {
		Name, Text string
		Size       int // bytes
		Span       spec.Span
	}
	savedField struct {
		value.Field
		Type int // number in the BTF
	}
	savedTest struct {
		And, Or     []*savedTest `json:",omitempty"`
		Op          spec.Op      `json:",omitempty"`
		Negated     bool         `json:",omitempty"`
		Left, Right savedOperand
		Against     bool `json:",omitempty"`
		Kind        value.Kind
		Num         uint64
		Mask        uint64 `json:",omitempty"`
		Text        string `json:",omitempty"`
		Bytes       []byte `json:",omitempty"`
		Bits        int    `json:",omitempty"`
		Shown       string
	}
	savedOperand struct {
		Return bool
		Index  int
	}
)

// Save writes down all that is needed to understand the plans' records on
// another machine and to decide their conditions. [Load] reads it.
func Save(plans []*Plan) ([]byte, error) {
	s := saved{Version: savedVersion}
	var types []btf.Type
	for _, p := range plans {
		sp := savedPlan{Spec: p.Spec.Text, Func: p.Spec.Func.Text, Notes: p.Notes, Renames: p.Renames, Addresses: p.Addresses, Arch: p.Arch.Name, Check: p.check.save(), Partial: p.Partial}
		if p.Func != nil {
			sp.Func, sp.Module = p.Func.Name, p.Func.Module
		}
		sp.Entry, types = p.Entry.save(types)
		sp.Return, types = p.Return.save(types)
		s.Plans = append(s.Plans, sp)
	}
	data, ids, err := btf.Save(types)
	if err != nil {
		return nil, err
	}
	s.Types = data
	for i := range s.Plans {
		for _, probe := range []*savedProbe{s.Plans[i].Entry, s.Plans[i].Return} {
			if probe == nil {
				continue
			}
			for j := range probe.Fields {
				probe.Fields[j].Type, ids = ids[0], ids[1:]
			}
		}
	}
	return json.Marshal(s)
}

// save also appends the types of the fields, in order.
func (p *Probe) save(types []btf.Type) (*savedProbe, []btf.Type) {
	if p == nil {
		return nil, types
	}
	s := &savedProbe{Symbols: p.Symbols, Event: p.Event, Filter: p.Filter, OnlyComm: p.OnlyComm,
		Comm: p.Comm, Caller: p.Caller, Stack: p.Stack}
	for i := range p.Args {
		a := &p.Args[i]
		s.Args = append(s.Args, savedArg{Name: a.Name, Text: a.String(), Size: a.Size(), Span: a.Span})
	}
	for _, f := range p.Fields {
		types = append(types, f.Type)
		f.Type = nil
		s.Fields = append(s.Fields, savedField{Field: f})
	}
	return s, types
}

func (t *test) save() *savedTest {
	if t == nil {
		return nil
	}
	s := &savedTest{
		Op: t.op, Negated: t.negated, Against: t.against,
		Left: savedOperand{t.left.ret, t.left.index}, Right: savedOperand{t.right.ret, t.right.index},
		Kind: t.value.kind, Num: t.value.num, Mask: t.value.mask, Text: t.value.text, Bytes: t.value.bytes, Bits: t.value.bits, Shown: t.value.shown,
	}
	for _, kid := range t.and {
		s.And = append(s.And, kid.save())
	}
	for _, kid := range t.or {
		s.Or = append(s.Or, kid.save())
	}
	return s
}

// Load reads what Save has written. The data may come from anywhere: whatever
// is in it, the plans can be used without harm. Errors wrap ErrSaved.
func Load(data []byte) ([]*Plan, error) {
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSaved, err)
	}
	if s.Version != savedVersion {
		return nil, fmt.Errorf("%w: version %d, this program knows %d", ErrSaved, s.Version, savedVersion)
	}
	if len(s.Types) > maxTypes {
		return nil, fmt.Errorf("%w: types of %d bytes", ErrSaved, len(s.Types))
	}
	types, err := btf.Load(s.Types)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSaved, err)
	}
	plans := make([]*Plan, len(s.Plans))
	for i := range s.Plans {
		if plans[i], err = s.Plans[i].load(types); err != nil {
			return nil, fmt.Errorf("%w: plan %d: %w", ErrSaved, i, err)
		}
	}
	return plans, nil
}

func (s *savedPlan) load(types func(int) (btf.Type, error)) (*Plan, error) {
	wanted, err := spec.Parse(s.Spec)
	if err != nil {
		return nil, err
	}
	if spec.IsGlob(wanted.Func.Text) {
		wanted = specOf(wanted, btf.FuncName{Module: s.Module, Name: s.Func})
	}
	p := &Plan{Spec: wanted, Func: &btf.Func{Name: s.Func, Module: s.Module}, Notes: s.Notes, Renames: s.Renames, Addresses: s.Addresses, Partial: s.Partial, Arch: abi.Named(s.Arch)}
	if p.Arch == nil {
		return nil, fmt.Errorf("unknown architecture %q", s.Arch)
	}
	if p.Entry, err = s.Entry.load(p, false, types); err != nil {
		return nil, err
	}
	if p.Return, err = s.Return.load(p, true, types); err != nil {
		return nil, err
	}
	switch {
	case p.Entry == nil && p.Return == nil:
		return nil, errors.New("no probe")
	case p.Renames != "" && (p.Paired() || p.Entry == nil || len(p.Entry.Fields) < 2):
		return nil, errors.New("not a plan for the names of tasks")
	}
	if s.Check != nil {
		p.check, err = s.Check.load(p, 0)
	}
	return p, err
}

func (s *savedProbe) load(plan *Plan, ret bool, types func(int) (btf.Type, error)) (*Probe, error) {
	if s == nil {
		return nil, nil
	}
	p := &Probe{Plan: plan, Return: ret, Symbols: s.Symbols, Event: s.Event, Filter: s.Filter, OnlyComm: s.OnlyComm,
		Comm: s.Comm, Caller: s.Caller, Stack: s.Stack}
	for _, a := range s.Args {
		arg, err := parseArg(a.Text)
		if err != nil {
			return nil, err
		}
		arg.Name, arg.Span = a.Name, a.Span
		p.Args = append(p.Args, arg)
	}
	if err := p.checkSaved(); err != nil {
		return nil, err
	}
	for i := range s.Fields {
		f := s.Fields[i].Field
		var err error
		if f.Type, err = types(s.Fields[i].Type); err != nil {
			return nil, err
		}
		if err := checkField(&f, len(p.Args)); err != nil {
			return nil, fmt.Errorf("%q: %w", f.Label, err)
		}
		if p.goesOn(&f) && f.Arg+1 >= len(p.Args) {
			return nil, fmt.Errorf("%q goes on behind the last argument", f.Label)
		}
		p.Fields = append(p.Fields, f)
	}
	return p, nil
}

// checkSaved refuses indexes of arguments that are not there.
func (p *Probe) checkSaved() error {
	if len(p.Args) > maxArgs {
		return errors.New("too many arguments")
	}
	caller := p.Caller
	if p.Return && caller == len(p.Args) {
		caller = -1 // what the kernel records by itself
	}
	if max(p.Comm, p.Stack, caller) >= len(p.Args) || min(p.Comm, p.Stack, caller) < -1 {
		return errors.New("argument out of range")
	}
	if p.Return && caller >= 0 {
		return errors.New("a return's caller is no argument")
	}
	return nil
}

// checkField refuses what decoding relies on never to be.
func checkField(f *value.Field, args int) error {
	bad := f.Encoding > value.Nothing || f.Count < 0 || f.Count > 64<<10 || f.Bits < 0 || f.Bits > 64 ||
		f.Skip < 0 || f.Skip > 7 || f.Split < 0 || f.Split > 63
	switch f.Size {
	case 1, 2, 4, 8:
	case 0:
		bad = bad || f.Encoding != value.Nothing
	default:
		bad = true
	}
	if f.Encoding == value.BitField {
		bad = bad || f.Bits < 1 || f.Bits > 8*f.Size
	}
	if f.Encoding != value.Nothing {
		bad = bad || f.Arg < 0 || f.Arg >= args
	}
	for _, g := range f.Guards {
		bad = bad || g.Arg < 0 || g.Arg >= args || g.Space > value.EitherSpace || isBadProof(g.Proof, args)
	}
	if bad {
		return errors.New("impossible field")
	}
	return nil
}

func (s *savedTest) load(p *Plan, depth int) (*test, error) {
	if depth > spec.MaxNesting {
		return nil, spec.ErrNesting
	}
	if s == nil {
		return nil, errors.New("condition without content")
	}
	t := &test{
		op: s.Op, negated: s.Negated, against: s.Against,
		left: operand{s.Left.Return, s.Left.Index}, right: operand{s.Right.Return, s.Right.Index},
		value: constant{num: s.Num, mask: s.Mask, text: s.Text, bytes: s.Bytes, bits: s.Bits, kind: s.Kind, shown: s.Shown},
	}
	if s.Bits < 0 || s.Bits > 8*len(s.Bytes) {
		return nil, errors.New("a prefix that is longer than its address")
	}
	for _, kid := range s.And {
		k, err := kid.load(p, depth+1)
		if err != nil {
			return nil, err
		}
		t.and = append(t.and, k)
	}
	for _, kid := range s.Or {
		k, err := kid.load(p, depth+1)
		if err != nil {
			return nil, err
		}
		t.or = append(t.or, k)
	}
	if t.and == nil && t.or == nil && (!p.has(t.left) || t.against && !p.has(t.right)) {
		return nil, errors.New("condition on a value that is not there")
	}
	return t, nil
}

// has tells whether the plan has the field.
func (p *Plan) has(o operand) bool {
	probe := p.Entry
	if o.ret {
		probe = p.Return
	}
	return probe != nil && o.index >= 0 && o.index < len(probe.Fields)
}
