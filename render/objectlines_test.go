package render_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// pointType is a struct of two ints.
var pointType = &btf.Struct{Name: "point", Size: 8, Members: []btf.MemberOf{{Name: "x", Type: cInt}, {Name: "y", Type: cInt, Offset: 32}}}

// object adds a field with the struct that a pointer leads to, of which there are bytes.
func (r *record) object(label, pointer string, addr uint64, bytes string) *record {
	check := value.PointerCheck{Label: pointer, Arg: r.arg(8, addr)}
	f := value.Field{Label: label, Type: pointType, Encoding: value.Dumped, Size: 1, Count: len(bytes), Whole: int(pointType.Size),
		PointerChecks: []value.PointerCheck{check}, Dump: &value.Extent{Args: 1}, Arg: len(r.slots)}
	r.slots = append(r.slots, value.Slot{Offset: len(r.data), Size: len(bytes)})
	r.data = append(r.data, bytes...)
	r.probe.Fields = append(r.probe.Fields, f)
	return r
}

const heap = 0xffff888000001000

// TestObjectLines shows calls with objects: their trees follow the line of the call, in
// the order of the items, those of the return after them, and then the stack.
func TestObjectLines(t *testing.T) {
	in := newProbe(false).object("*a", "a", heap, "\x01\x00\x00\x00\xfe\xff\xff\xff").number("n", cInt, 5).
		object("*b", "b", heap+16, "\x00\x00\x00\x00\x00\x00\x00\x00").object("*c", "c", 0, "\x01\x00\x00\x00\x01\x00\x00\x00").
		object("d\x1b", "d", heap+32, "\x07\x00\x00\x00").comm("cat")
	out := newProbe(true).number("return", skbPtr, heap).object("*return", "return", heap, "\x03\x00\x00\x00\x00\x00\x00\x00")
	entry, ret := in.event(1000, 1, 7), out.event(3000, 1, 7)
	entry.Stack = []uint64{kernelText}
	both := &calls.Call{Entry: entry, Return: ret, Duration: 2000}
	begun := &calls.Call{Entry: entry, Begun: true, ID: 1}
	end := &calls.Call{Entry: entry, Return: ret, Duration: 2000, ID: 1}
	for _, tt := range []struct {
		name  string
		opts  render.Options
		calls []*calls.Call
		idle  bool
		want  string
	}{
		{name: "trees", calls: []*calls.Call{both}, want: `
  1 cat-7              f(*a={...}, n=5, *b={...}, *c=(fault: c=NULL), d\x1b={...}) = 0xffff888000001000 {*return={...}} <2.00us>
    *a = { /* at 0xffff888000001000 */
        .x = 1,
        .y = -2,
    }
    *b = {} /* at 0xffff888000001010 */
    d\x1b = { /* at 0xffff888000001020 */
        .x = 7,
        /* 4 of 8 bytes */
    }
    *return = { /* at 0xffff888000001000 */
        .x = 3,
    }
      => ip_rcv_finish
`},
		{name: "compact with types", opts: render.Options{Compact: true, Types: true, Zeros: true}, calls: []*calls.Call{{Entry: entry}}, want: `
  1 cat-7              f(*a={...}, n=5, *b={...}, *c=(fault: c=NULL), d\x1b={...})
    *a = (struct point){.x = (int)1, .y = (int)-2} /* at 0xffff888000001000 */
    *b = (struct point){.x = (int)0, .y = (int)0} /* at 0xffff888000001010 */
    d\x1b = (struct point){.x = (int)7, /* 4 of 8 bytes */} /* at 0xffff888000001020 */
      => ip_rcv_finish
`},
		{name: "the tree of a leaf", calls: []*calls.Call{begun, end}, want: `
  1 cat-7              f(*a={...}, n=5, *b={...}, *c=(fault: c=NULL), d\x1b={...}) = 0xffff888000001000 {*return={...}} <2.00us>
    *a = { /* at 0xffff888000001000 */
        .x = 1,
        .y = -2,
    }
    *b = {} /* at 0xffff888000001010 */
    d\x1b = { /* at 0xffff888000001020 */
        .x = 7,
        /* 4 of 8 bytes */
    }
    *return = { /* at 0xffff888000001000 */
        .x = 3,
    }
      => ip_rcv_finish
`},
		{name: "a tree that goes on", opts: render.Options{Compact: true}, calls: []*calls.Call{begun, end}, idle: true, want: `
  1 cat-7              f(*a={...}, n=5, *b={...}, *c=(fault: c=NULL), d\x1b={...}) {
    *a = {.x = 1, .y = -2} /* at 0xffff888000001000 */
    *b = {} /* at 0xffff888000001010 */
    d\x1b = {.x = 7, /* 4 of 8 bytes */} /* at 0xffff888000001020 */
      => ip_rcv_finish
  1 cat-7              } = 0xffff888000001000 {*return={...}} <2.00us>  // f
    *return = {.x = 3} /* at 0xffff888000001000 */
`},
		{name: "unfinished", opts: render.Options{Compact: true}, calls: []*calls.Call{{Return: ret, Orphan: true}}, want: `
  1 old-7              f(entry not seen) = 0xffff888000001000 {*return={...}}
    *return = {.x = 3} /* at 0xffff888000001000 */
`},
		{name: "deeper", opts: render.Options{Compact: true}, calls: []*calls.Call{{Return: ret, Orphan: true}, {Entry: entry, Begun: true, ID: 2, Depth: 2},
			{Entry: entry, Return: ret, Duration: 2000, ID: 2, Depth: 2}}, idle: true, want: `
  1 old-7              f(entry not seen) = 0xffff888000001000 {*return={...}}
    *return = {.x = 3} /* at 0xffff888000001000 */
  1 cat-7                  f(*a={...}, n=5, *b={...}, *c=(fault: c=NULL), d\x1b={...}) {
        *a = {.x = 1, .y = -2} /* at 0xffff888000001000 */
        *b = {} /* at 0xffff888000001010 */
        d\x1b = {.x = 7, /* 4 of 8 bytes */} /* at 0xffff888000001020 */
      => ip_rcv_finish
  1 cat-7                  } = 0xffff888000001000 {*return={...}} <2.00us>  // f
        *return = {.x = 3} /* at 0xffff888000001000 */
`},
	} {
		tt.opts.Time, tt.opts.Symbol = render.TimeNone, testSymbol
		for _, color := range []bool{false, true} {
			tt.opts.Color = color
			p := text.New([]render.Source{newSource("f", "", in, out)}, tt.opts)
			got := []byte("\n")
			for _, c := range tt.calls {
				if got = show(p, got, c); tt.idle {
					got = p.Idle(got)
				}
			}
			plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(p.Close(got)), "")
			if diff := cmp.Diff(tt.want, plain); diff != "" {
				t.Errorf("%s, color %v (-want +got):\n%s", tt.name, color, diff)
			}
		}
	}
	p := json.New([]render.Source{newSource("f", "", in, out)}, render.Options{})
	got := string(p.End(nil, both))
	for _, want := range []string{
		`{"name":"*a","type":"struct point","value":{"x":1,"y":-2},"addr":"0xffff888000001000"}`,
		`{"name":"*b","type":"struct point","value":{},"addr":"0xffff888000001010"}`,
		`{"name":"*c","type":"struct point","value":null}`,
		`"value":{"x":7},"addr":"0xffff888000001020","size":8}`,
		`"ret_args":[{"name":"*return","type":"struct point","value":{"x":3},"addr":"0xffff888000001000"}]`,
		`"errors":[{"name":"*c","fault":"c=NULL"}]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("JSON lacks %s:\n%s", want, got)
		}
	}
	for _, s := range []render.Sink{p, text.New([]render.Source{newSource("f", "", in, out)}, render.Options{})} {
		buf := s.End(nil, both)
		if n := testing.AllocsPerRun(100, func() { buf = s.End(buf[:0], both) }); n > 0 {
			t.Errorf("%T allocates %v times a call", s, n)
		}
	}
}
