// Package store keeps plans as JSON, in recordings and in files, so that records can be
// decoded on another host.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// ErrSaved is wrapped by the errors of Load.
var ErrSaved = errors.New("saved plans cannot be used")

// ErrNewer is also wrapped by an error of Load if a later version has saved the plans.
var ErrNewer = errors.New("saved by a later version")

// A versionError is the version of plans that Load does not know.
type versionError int

func (e versionError) Error() string {
	return fmt.Sprintf("version %d, this program knows only %d", int(e), savedVersion)
}

func (e versionError) Is(target error) bool { return target == ErrNewer && e > savedVersion }

// savedVersion changes when a program that knows only older versions would misread what
// is saved. Versions 1 and 2 were before the first release.
const savedVersion = 3

// These types are what is saved, as JSON. They are the format: they change only with its
// version, even if the types that they are made from change. Members can be added without a
// new version: a program that does not know one refuses the plans that have it. An
// enumeration is saved as a word, see savedWords.
type (
	saved struct {
		Version int         `json:"version"`
		Types   []byte      `json:"types"` // BTF
		Plans   []savedPlan `json:"plans"`
		// Enums has the kernel's enums for sets of constants, by one of their constants.
		Enums map[string][]constants.Constant `json:"enums,omitempty"`
	}
	savedPlan struct {
		Spec      string       `json:"spec"`
		Nth       int          `json:"nth,omitempty"` // index among the spec's alternatives
		Func      string       `json:"func"`          // for a glob, the function that matched
		Module    string       `json:"module,omitempty"`
		Arch      string       `json:"arch"` // as in GOARCH
		Probes    []savedProbe `json:"probes"`
		Check     *savedTest   `json:"check,omitempty"`
		Asked     *savedTest   `json:"asked,omitempty"` // if it is not Check
		Partial   bool         `json:"partial,omitempty"`
		Notes     []string     `json:"notes,omitempty"`
		Addresses []string     `json:"addresses,omitempty"`
		Renames   string       `json:"renames,omitempty"`
		Starts    string       `json:"starts,omitempty"`
		Clocks    []savedTimer `json:"clocks,omitempty"`
	}
	savedProbe struct {
		Kind     string       `json:"kind"`
		Side     string       `json:"side"`
		Part     int          `json:"part,omitempty"`
		Symbols  []string     `json:"symbols"`
		Event    string       `json:"event"`
		Args     []savedArg   `json:"args"`
		Fields   []savedField `json:"fields"`
		Filter   string       `json:"filter,omitempty"`
		OnlyComm bool         `json:"onlyComm,omitempty"`
		Comm     *int         `json:"comm,omitempty"` // index into Args
		Caller   *int         `json:"caller,omitempty"`
		Stack    *int         `json:"stack,omitempty"`
		Spare    *savedSpare  `json:"spare,omitempty"`
		Share    *savedShare  `json:"share,omitempty"`
	}
	savedArg struct {
		Name  string     `json:"name"`
		Base  string     `json:"base"`            // in the kernel's syntax, like Type
		Field string     `json:"field,omitempty"` // if the base is a field: what of it
		Hops  []savedHop `json:"hops,omitempty"`
		Type  string     `json:"type,omitempty"`
		Count int        `json:"count,omitempty"`
		Span  savedSpan  `json:"span"`
	}
	savedHop struct {
		Offset int64 `json:"offset"`
		User   bool  `json:"user,omitempty"`
	}
	savedSpan  [2]int // start and end, in bytes of the spec
	savedField struct {
		Label     string              `json:"label"`
		Expr      string              `json:"expr,omitempty"`
		Alias     bool                `json:"alias,omitempty"`
		Name      string              `json:"name,omitempty"`
		Type      int                 `json:"type"` // number in the BTF
		Format    string              `json:"format,omitempty"`
		Encoding  string              `json:"encoding"`
		Arg       int                 `json:"arg"`
		Size      int                 `json:"size,omitempty"`
		Count     int                 `json:"count,omitempty"`
		Whole     int                 `json:"whole,omitempty"`
		Skip      int                 `json:"skip,omitempty"`
		Bits      int                 `json:"bits,omitempty"`
		Split     int                 `json:"split,omitempty"`
		Signed    bool                `json:"signed,omitempty"`
		BigEndian bool                `json:"bigEndian,omitempty"`
		Add       int64               `json:"add,omitempty"`
		Guards    []savedPointerCheck `json:"guards,omitempty"`
		Hidden    bool                `json:"hidden,omitempty"`
		Again     int                 `json:"again,omitempty"`
		Dump      *savedDump          `json:"dump,omitempty"`
		Why       string              `json:"why,omitempty"`
		Boot      bool                `json:"boot,omitempty"`
		Bound     *savedBound         `json:"bound,omitempty"`
		Use       *savedUse           `json:"use,omitempty"`
		Items     []int               `json:"items,omitempty"` // indexes of fields
		Path      *savedPath          `json:"path,omitempty"`
		Set       string              `json:"set,omitempty"` // of constants, or a FORMAT
		By        int                 `json:"by,omitempty"`  // 1 plus the argument that chooses among the set's cases
		HZ        int                 `json:"hz,omitempty"`
	}
	savedDump struct { // a stretch of an object
		At      int           `json:"at,omitempty"`
		Args    int           `json:"args,omitempty"`
		Off     int           `json:"off,omitempty"`
		Addr    uint64        `json:"addr,omitempty"`
		Windows []savedWindow `json:"windows,omitempty"`
		Rest    [][2]int      `json:"rest,omitempty"` // part and index of the field
	}
	savedWindow struct {
		Start int             `json:"start"`
		End   int             `json:"end"`
		Proof *savedReadCheck `json:"proof"`
	}
	savedBound struct { // indexes into Args, -1 if there is none
		Length int `json:"length"`
		Unit   int `json:"unit,omitempty"` // bytes; 0 for a socket address
		Result int `json:"result"`
	}
	savedUse struct {
		Arg    int      `json:"arg"`
		Mask   uint64   `json:"mask,omitempty"`
		Values []uint64 `json:"values,omitempty"`
		Not    bool     `json:"not,omitempty"`
	}
	savedPath struct { // indexes into Args
		Names    []int      `json:"names"`
		Dentries []int      `json:"dentries"`
		Mount    *savedPath `json:"mount,omitempty"`
		Top      int        `json:"top,omitempty"` // 1 plus the index, as for those that follow
		Up       int        `json:"up,omitempty"`
		Mnt      int        `json:"mnt,omitempty"`
		Off      int64      `json:"off,omitempty"` // bytes
		Hash     int        `json:"hash,omitempty"`
		Magic    int        `json:"magic,omitempty"`
		Inode    int        `json:"inode,omitempty"`
	}
	savedPointerCheck struct {
		Label string          `json:"label"`
		Arg   int             `json:"arg"`
		Space string          `json:"space"`
		Proof *savedReadCheck `json:"proof,omitempty"`
		Head  *savedReadCheck `json:"head,omitempty"`
	}
	savedReadCheck struct {
		Kind  string `json:"kind"`
		Args  []int  `json:"args"`
		Any   bool   `json:"any,omitempty"`
		Trial int    `json:"trial"`
		From  int64  `json:"from,omitempty"`
		To    int64  `json:"to,omitempty"`
		Read  int    `json:"read,omitempty"` // 1 plus the arg, as for Last
		Reads int    `json:"reads,omitempty"`
		Addr  uint64 `json:"addr,omitempty"`
		End   uint64 `json:"end,omitempty"`
		Last  int    `json:"last,omitempty"`
	}
	savedTest struct { // all or any of other tests, or a comparison
		And     []*savedTest  `json:"and,omitempty"`
		Or      []*savedTest  `json:"or,omitempty"`
		Op      string        `json:"op,omitempty"`
		Negated bool          `json:"negated,omitempty"`
		Left    *savedOperand `json:"left,omitempty"`
		Right   *savedOperand `json:"right,omitempty"` // or Value
		Value   *savedValue   `json:"value,omitempty"`
	}
	savedOperand struct {
		Side  string `json:"side"`
		Part  int    `json:"part,omitempty"`
		Field int    `json:"field"`
	}
	savedValue struct {
		Kind  string `json:"kind"`
		Num   uint64 `json:"num,omitempty"`
		Mask  uint64 `json:"mask,omitempty"`
		Text  string `json:"text,omitempty"`
		Bytes []byte `json:"bytes,omitempty"`
		Bits  int    `json:"bits,omitempty"`
		Shown string `json:"shown"`
	}
)

// savedDuration replaces a side in conditions on the duration of a call, in ns.
const savedDuration = "duration"

// A savedWords lists the saved words for the values of a type, from 0.
type savedWords []string

var (
	savedSpaces     = savedWords{value.KernelSpace: "kernel", value.UserSpace: "user", value.AnySpace: "any", value.EitherSpace: "either"}
	savedReadChecks = savedWords{value.Through: "through", value.Itself: "itself", value.Counted: "counted", value.Witnessed: "witnessed"}
	savedValues     = savedWords{value.Uint: "uint", value.Int: "int", value.Text: "text", value.Bytes: "bytes"}
	savedSides      = savedWords{dynevent.Entry: "entry", dynevent.Return: "return"}
)

var savedEncodings = savedWords{
	value.Integer:  "integer",
	value.BitField: "bitfield",
	value.String:   "string",
	value.Array:    "array",
	value.Nothing:  "nothing",
	value.Dumped:   "dumped",
	value.Who:      "who",
	value.Age:      "age",
	value.Strings:  "strings",
	savedClock:     "clock",
}

// savedFields are the saved words for the bases that are fields of events.
var savedFields = map[dynevent.BaseKind]string{dynevent.Field: "number", dynevent.FieldText: "text", dynevent.FieldArray: "array"}

// number returns the number of a word. what names the type in the error.
func (w savedWords) number(word, what string) (int, error) {
	n := slices.Index(w, word)
	if n < 0 || word == "" {
		return 0, fmt.Errorf("unknown %s %q", what, word)
	}
	return n, nil
}

// Save returns everything that is needed to decode the plans' records and to decide their
// conditions on another host, as JSON. [Load] reads it.
func Save(plans []*plan.Plan) ([]byte, error) {
	s := saved{Version: savedVersion}
	var types []btf.Type
	var objects []bool
	for _, p := range plans {
		var asked *savedTest
		if p.Asked != p.Check {
			asked = saveTest(p.Asked)
		}
		sp := savedPlan{
			Spec: p.Spec.Text, Nth: p.Spec.Nth, Func: p.Spec.Func.Text, Arch: p.Arch.Name, Check: saveTest(p.Check), Asked: asked, Partial: p.Partial,
			Notes: p.Notes, Addresses: p.Addresses, Renames: p.Renames, Starts: p.Starts, Clocks: saveClocks(p.Clocks),
		}
		if p.Func != nil {
			sp.Func, sp.Module = p.Func.Name, p.Func.Module
		}
		for _, probe := range p.Probes {
			sp.Probes = append(sp.Probes, saveProbe(probe))
			for i := range probe.Fields {
				types = append(types, probe.Fields[i].Type)
				f := &probe.Fields[i]
				objects = append(objects, f.Type != nil && (f.Encoding == value.Dumped || f.Encoding == value.Array && f.Bound != nil && f.Format == ""))
			}
		}
		s.Plans = append(s.Plans, sp)
		if s.Enums == nil {
			s.Enums = p.Macros.Enums()
		}
	}
	data, ids, err := btf.Save(types, objects)
	if err != nil {
		return nil, err
	}
	s.Types = data
	for i := range s.Plans {
		for _, probe := range s.Plans[i].Probes {
			for j := range probe.Fields {
				probe.Fields[j].Type, ids = ids[0], ids[1:]
			}
		}
	}
	return json.Marshal(s)
}

// saveProbe leaves out the types of the fields, which Save adds.
func saveProbe(p *plan.Probe) savedProbe {
	s := savedProbe{
		Kind: p.Kind.String(), Side: savedSides[p.Side], Part: p.Part, Symbols: p.Symbols, Event: p.Event,
		Args: []savedArg{}, Fields: []savedField{}, Filter: p.Filter, OnlyComm: p.OnlyComm,
	}
	for i := range p.Args {
		s.Args = append(s.Args, saveArg(&p.Args[i]))
	}
	for i := range p.Fields {
		s.Fields = append(s.Fields, saveField(&p.Fields[i]))
	}
	s.Spare, s.Share = saveSpare(p.Spare), saveShare(p.Share)
	for _, own := range []struct {
		arg  int
		save **int
	}{{p.Comm, &s.Comm}, {p.Caller, &s.Caller}, {p.Stack, &s.Stack}} {
		if own.arg >= 0 && own.arg < len(p.Args) {
			*own.save = &own.arg
		}
	}
	return s
}

func saveSpan(s spec.Span) savedSpan { return savedSpan{s.Pos, s.End} }

func saveArg(a *dynevent.Arg) savedArg {
	low := a.Lowered()
	a = &low
	s := savedArg{Name: a.Name, Base: a.Base.String(), Field: savedFields[a.Base.Kind], Type: a.Type.String(), Count: a.Count, Span: saveSpan(a.Span)}
	for _, h := range a.Hops {
		s.Hops = append(s.Hops, savedHop(h))
	}
	return s
}

func saveField(f *value.Field) savedField {
	s := savedField{
		Label: f.Label, Expr: f.Expr, Alias: f.Alias, Name: f.Name, Format: f.Format, Encoding: savedEncodings[f.Encoding], Arg: f.Arg, Size: f.Size, Count: f.Count,
		Whole: f.Whole, Skip: f.Skip, Bits: f.Bits, Split: f.Split, Signed: f.Signed, BigEndian: f.BigEndian, Add: f.Add,
		Hidden: f.Hidden, Again: f.Refetched, Why: f.Reason, Set: f.Set, By: f.By, HZ: f.HZ, Boot: f.Boot, Items: f.Items,
	}
	if f.Clock && f.Encoding == value.Age {
		s.Encoding = savedEncodings[savedClock]
	}
	for _, g := range f.PointerChecks {
		s.Guards = append(s.Guards, savedPointerCheck{Label: g.Label, Arg: g.Arg, Space: savedSpaces[g.Space], Proof: saveReadCheck(g.ReadCheck), Head: saveReadCheck(g.Head)})
	}
	s.Path, s.Bound = savePath(f.Path), (*savedBound)(f.Bound)
	s.Use = (*savedUse)(f.Use)
	if d := f.Dump; d != nil {
		s.Dump = &savedDump{At: d.At, Args: d.Args, Off: d.Off, Addr: d.Addr}
		for _, w := range d.Windows {
			s.Dump.Windows = append(s.Dump.Windows, savedWindow{w.Start, w.End, saveReadCheck(w.ReadCheck)})
		}
		for _, at := range d.Rest {
			s.Dump.Rest = append(s.Dump.Rest, [2]int{at.Part, at.Field})
		}
	}
	return s
}

func saveReadCheck(p *value.ReadCheck) *savedReadCheck {
	if p == nil {
		return nil
	}
	return &savedReadCheck{
		Kind: savedReadChecks[p.Kind], Args: p.Args, Any: p.Any, Trial: p.Trial, From: p.From, To: p.To,
		Read: p.Read, Reads: p.Reads, Addr: p.Addr, End: p.End, Last: p.Last,
	}
}

func saveTest(t *cond.Test) *savedTest {
	if t == nil {
		return nil
	}
	s := &savedTest{}
	for _, kid := range t.And {
		s.And = append(s.And, saveTest(kid))
	}
	for _, kid := range t.Or {
		s.Or = append(s.Or, saveTest(kid))
	}
	if t.And != nil || t.Or != nil {
		return s
	}
	s.Op, s.Negated, s.Left = string(t.Op), t.Negated, saveOperand(t.Left)
	if t.Elapsed {
		s.Left = &savedOperand{Side: savedDuration}
	}
	if t.Against {
		s.Right = saveOperand(t.Right)
		return s
	}
	v := &t.Value
	s.Value = &savedValue{Kind: savedValues[v.Kind], Num: v.Num, Mask: v.Mask, Text: v.Text, Bytes: v.Bytes, Bits: v.Bits, Shown: v.Shown}
	return s
}

func saveOperand(o cond.Operand) *savedOperand {
	return &savedOperand{savedSides[o.Side], o.Part, o.Index}
}
