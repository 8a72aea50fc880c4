package fetchargs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// These types are version 1 of the saved form: the Go structures of that time. An
// enumeration is saved as its number, and a fetcharg as text. The types, and the
// order of the words that the numbers index, do not change any more.
type (
	saved1 struct {
		Types []byte
		Plans []savedPlan1
	}
	savedPlan1 struct {
		Spec          string
		Func, Module  string
		Arch          string
		Notes         []string
		Addresses     []string
		Renames       string
		Entry, Return *savedProbe1
		Check         *savedTest1
		Partial       bool
	}
	savedProbe1 struct {
		Symbols             []string
		Event               string
		Args                []savedArg1
		Fields              []savedField1
		Filter              string
		OnlyComm            bool
		Comm, Caller, Stack int // -1 if there is none
	}
	savedArg1 struct {
		Name, Text string // "+16(+8($arg1)):u32"
		Span       spec.Span
	}
	savedField1 struct {
		Label             string
		Type              int
		Format            string
		Encoding          int
		Arg, Size, Count  int
		Whole, Skip, Bits int
		Split             int
		Signed, BigEndian bool
		Add               int64
		Guards            []savedGuard1
		Hidden            bool
		Again             int
		Why               string
	}
	savedGuard1 struct {
		Label string
		Arg   int
		Space int
		Proof *savedProof1
	}
	savedProof1 struct {
		Kind     int
		Args     []int
		Any      bool
		Trial    int
		From, To int64
	}
	savedTest1 struct {
		And, Or     []*savedTest1
		Op          string
		Negated     bool
		Left, Right savedOperand1
		Against     bool
		Kind        int
		Num, Mask   uint64
		Text        string
		Bytes       []byte
		Bits        int
		Shown       string
	}
	savedOperand1 struct {
		Return bool
		Index  int
	}
)

// loadVersion1 reads version 1 and converts it to today's types.
func loadVersion1(data []byte) (s saved, err error) {
	var old saved1
	if err := json.Unmarshal(data, &old); err != nil {
		return s, err
	}
	s.Types = old.Types
	for i := range old.Plans {
		p, err := old.Plans[i].today()
		if err != nil {
			return s, fmt.Errorf("plan %d: %w", i, err)
		}
		s.Plans = append(s.Plans, p)
	}
	return s, nil
}

func (old *savedPlan1) today() (savedPlan, error) {
	s := savedPlan{
		Spec: old.Spec, Func: old.Func, Module: old.Module, Arch: old.Arch, Check: old.Check.today(0), Partial: old.Partial,
		Notes: old.Notes, Addresses: old.Addresses, Renames: old.Renames,
	}
	for side, probe := range []*savedProbe1{Entry: old.Entry, Return: old.Return} {
		if probe == nil {
			continue
		}
		p, err := probe.today(Side(side))
		if err != nil {
			return s, err
		}
		s.Probes = append(s.Probes, p)
	}
	return s, nil
}

func (old *savedProbe1) today(side Side) (savedProbe, error) {
	s := savedProbe{
		Kind: dynevent.Kprobe.String(), Side: savedSides[side], Symbols: old.Symbols, Event: old.Event,
		Filter: old.Filter, OnlyComm: old.OnlyComm,
	}
	for _, a := range old.Args {
		arg, err := parseArg(a.Text)
		if err != nil {
			return s, err
		}
		arg.Name, arg.Span = a.Name, a.Span
		s.Args = append(s.Args, arg.save())
	}
	for i := range old.Fields {
		s.Fields = append(s.Fields, old.Fields[i].today())
	}
	if side == Return {
		s.Kind = dynevent.Kretprobe.String()
		if old.Caller == len(old.Args) {
			old.Caller = -1 // the kernel records it by itself
		}
	}
	for _, own := range []struct {
		arg  int
		save **int
	}{{old.Comm, &s.Comm}, {old.Caller, &s.Caller}, {old.Stack, &s.Stack}} {
		if own.arg != -1 {
			*own.save = &own.arg
		}
	}
	return s, nil
}

func (old *savedField1) today() savedField {
	s := savedField{
		Label: old.Label, Type: old.Type, Format: old.Format, Encoding: savedEncodings.word(old.Encoding), Arg: old.Arg,
		Size: old.Size, Count: old.Count, Whole: old.Whole, Skip: old.Skip, Bits: old.Bits, Split: old.Split,
		Signed: old.Signed, BigEndian: old.BigEndian, Add: old.Add, Hidden: old.Hidden, Again: old.Again, Why: old.Why,
	}
	for _, g := range old.Guards {
		guard := savedGuard{Label: g.Label, Arg: g.Arg, Space: savedSpaces.word(g.Space)}
		if p := g.Proof; p != nil {
			guard.Proof = &savedProof{Kind: savedProofs.word(p.Kind), Args: p.Args, Any: p.Any, Trial: p.Trial, From: p.From, To: p.To}
		}
		s.Guards = append(s.Guards, guard)
	}
	return s
}

// today stops a little deeper than savedTest.load, which then reports the error.
func (old *savedTest1) today(depth int) *savedTest {
	if old == nil || depth > spec.MaxNesting+1 {
		return nil
	}
	s := &savedTest{}
	for _, kid := range old.And {
		s.And = append(s.And, kid.today(depth+1))
	}
	for _, kid := range old.Or {
		s.Or = append(s.Or, kid.today(depth+1))
	}
	if s.And != nil || s.Or != nil {
		return s
	}
	s.Op, s.Negated, s.Left = old.Op, old.Negated, old.Left.today()
	if old.Against {
		s.Right = old.Right.today()
		return s
	}
	s.Value = &savedValue{
		Kind: savedValues.word(old.Kind), Num: old.Num, Mask: old.Mask, Text: old.Text, Bytes: old.Bytes, Bits: old.Bits, Shown: old.Shown,
	}
	return s
}

func (old savedOperand1) today() *savedOperand {
	side := Entry
	if old.Return {
		side = Return
	}
	return &savedOperand{Side: savedSides[side], Field: old.Index}
}

// parseArg parses the output of [Arg.String].
func parseArg(text string) (a Arg, err error) {
	value, typ, typed := strings.Cut(text, ":")
	if typed && typ == "" {
		return a, fmt.Errorf("%q: no type", text)
	}
	base, offsets := innermost(value)
	for _, off := range offsets {
		h, err := parseHop(off)
		if err != nil {
			return a, fmt.Errorf("%q: %w", text, err)
		}
		a.Hops = append(a.Hops, h)
	}
	var ok bool
	if a.Base, ok = parseBase(base); !ok {
		return a, fmt.Errorf("%q: unknown start %q", text, base)
	}
	elem, n, array := strings.Cut(typ, "[")
	if array {
		a.Count, err = strconv.Atoi(strings.TrimSuffix(n, "]"))
		ok = err == nil && a.Count > 0 && strings.HasSuffix(n, "]")
	}
	if a.Type, typed = parseType(elem); !ok || !typed || (elem == "") != (a.Base.Kind == Comm && len(a.Hops) == 0) {
		return a, fmt.Errorf("%q: unknown type %q", text, typ)
	}
	return a, nil
}

// innermost returns the text inside all parentheses, and the texts before each of
// them, the innermost first.
func innermost(text string) (base string, offsets []string) {
	for strings.HasSuffix(text, ")") {
		off, rest, ok := strings.Cut(text[:len(text)-1], "(")
		if !ok {
			break
		}
		text, offsets = rest, append([]string{off}, offsets...)
	}
	return text, offsets
}

func parseHop(text string) (h Hop, err error) {
	if len(text) < 2 || text[0] != '+' && text[0] != '-' {
		return h, errors.New("an offset begins with + or -")
	}
	digits := text[1:]
	digits, h.User = strings.CutPrefix(digits, "u")
	h.Offset, err = strconv.ParseInt(text[:1]+digits, 10, 64)
	return h, err
}
