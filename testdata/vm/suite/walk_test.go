//go:build vm

package suite

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A generator makes random ways from a parameter into the kernel's memory.
type generator struct {
	rand    *rand.Rand
	layouts map[string]layout // nil: any struct will do
	funcs   []candidate
	members map[string][]string // of the structs met so far
}

// A candidate is a function with a parameter to start from.
type candidate struct {
	fn    *btf.Func
	param *btf.Param
	arg   int // 1 is the first
}

// A walk is a way through members, with the offsets that pahole has for them.
type walk struct {
	fn    *btf.Func
	arg   int // 1 is the first
	expr  string
	kind  string
	hops  []int // offset within each object that a pointer leads to
	bit   int   // of the last member
	steps string
}

func (w *walk) spec() string { return fmt.Sprintf("%s(%s)", w.fn.Name, w.expr) }

// fetcharg is the fetcharg that pahole's offsets make. typ is the kernel type
// of the one to compare with: a bit field may be taken from any word.
func (w *walk) fetcharg(typ string) string {
	text := fmt.Sprintf("$arg%d", w.arg)
	for i, off := range w.hops {
		if i == len(w.hops)-1 && strings.HasPrefix(typ, "b") {
			var width, shift, size int
			fmt.Sscanf(typ, "b%d@%d/%d", &width, &shift, &size)
			off = (off*8 + w.bit - shift) / 8
		}
		text = fmt.Sprintf("%+d(%s)", off, text)
	}
	return text
}

// walk makes the i-th way; i decides what it should end in.
func (g *generator) walk(i int) *walk {
	want := []string{"bit field", "union", "array", "string", "any", "any"}[i%6]
	var best *walk
	for range 500 {
		w := g.try(1 + g.rand.IntN(6))
		if w == nil {
			continue
		}
		if best == nil {
			best = w
		}
		if want == "any" || w.kind == want {
			return w
		}
	}
	return best
}

// structParam is the first parameter that points to a struct, among those
// that are passed one register each; 0 if there is none.
func structParam(fn *btf.Func) (*btf.Param, int) {
	for i := range fn.Params[:min(6, len(fn.Params))] {
		p := &fn.Params[i]
		if size, ok := btf.Size(p.Type); !ok || size > 8 || named(p.Type) != "" {
			return nil, 0
		}
		if target := pointeeOf(p.Type); p.Name != "" && target != nil && named(target) != "" && len(btf.Members(target)) > 1 {
			return p, i + 1
		}
	}
	return nil, 0
}

// try walks depth steps from a random function's parameter; nil if that leads
// to nothing that can be shown.
func (g *generator) try(depth int) *walk {
	c := g.funcs[g.rand.IntN(len(g.funcs))]
	w := &walk{fn: c.fn, arg: c.arg, expr: c.param.Name, kind: "any", hops: []int{0}}
	t, followed, perCPU := pointeeOf(c.param.Type), false, false
	for range depth {
		name := named(t)
		if name == "" || perCPU {
			return nil
		}
		next, ok := g.step(w, t, name)
		if !ok {
			return nil
		}
		if target := pointeeOf(next); target != nil && named(target) != "" {
			perCPU = isPerCPU(name, w.expr[strings.LastIndex(w.expr, ">")+1:], next)
			t, followed = target, true
			w.hops = append(w.hops, 0)
			continue
		}
		followed = false
		if named(next) == "" {
			return w.end(next)
		}
		t = next
	}
	// Deep enough: end with the pointer that would be followed next.
	if followed {
		w.hops = w.hops[:len(w.hops)-1]
		return w
	}
	return nil
}

// isPerCPU reports whether a member is a per-CPU pointer, which tsnoop shows and does not
// follow.
func isPerCPU(of, member string, t btf.Type) bool {
	if p, ok := btf.Strip(t).(*btf.Pointer); ok {
		if tag, ok := p.Target.(*btf.TypeTag); ok && tag.Value == "percpu" {
			return true
		}
	}
	return value.IsPerCPU(value.SetOfMember(&btf.Struct{Name: of}, member))
}

// step goes into a random member of t and returns the member's type.
func (g *generator) step(w *walk, t btf.Type, name string) (btf.Type, bool) {
	members, met := g.members[name]
	if !met {
		members = btf.Members(t)
		g.members[name] = members
	}
	if len(members) == 0 {
		return nil, false
	}
	m := members[g.rand.IntN(len(members))]
	place, err := btf.Member(t, m)
	if err != nil {
		return nil, false
	}
	l, known := g.layouts[name], g.layouts != nil
	judge, has := l[m]
	if known && !has {
		return nil, false
	}
	w.expr += "->" + m
	w.hops[len(w.hops)-1] += judge.offset
	w.bit = judge.bit
	w.steps += fmt.Sprintf(" %s.%s@%d", name, m, judge.offset)
	if inUnion(t, m) {
		w.kind = "union"
	}
	if place.BitSize > 0 {
		w.kind = "bit field"
	}
	return g.index(w, place.Type)
}

// index takes a random element if t is an array of numbers or structs.
func (g *generator) index(w *walk, t btf.Type) (btf.Type, bool) {
	a, ok := btf.Strip(t).(*btf.Array)
	if !ok || isChar(a.Type) {
		return t, true
	}
	size, sized := btf.Size(a.Type)
	if !sized || size == 0 {
		return nil, false
	}
	if a.Nelems == 0 || g.rand.IntN(3) == 0 && named(a.Type) == "" {
		return t, a.Nelems > 0
	}
	n := g.rand.IntN(int(a.Nelems))
	w.expr += fmt.Sprintf("[%d]", n)
	w.hops[len(w.hops)-1] += n * size
	w.kind = "array"
	return a.Type, true
}

// end decides whether a value of type t can be shown, and what it counts as.
func (w *walk) end(t btf.Type) *walk {
	switch u := btf.Strip(t).(type) {
	case *btf.Int:
		if u.Size > 8 {
			return nil
		}
	case *btf.Enum:
	case *btf.Pointer:
		if isChar(u.Target) {
			w.kind = "string"
			w.hops = append(w.hops, 0)
		}
	case *btf.Array:
		size, _ := btf.Size(u.Type)
		switch {
		case isChar(u.Type) && u.Nelems > 0:
			w.kind = "string"
		case size == 1 || size == 2 || size == 4 || size == 8:
			if _, nested := btf.Strip(u.Type).(*btf.Array); nested || isStructType(u.Type) {
				return nil
			}
			w.kind = "array"
		default:
			return nil
		}
	default:
		return nil
	}
	return w
}

// inUnion reports whether m is a member of t itself or of an anonymous union.
func inUnion(t btf.Type, m string) bool {
	switch u := btf.Strip(t).(type) {
	case *btf.Union:
		return true
	case *btf.Struct:
		for _, own := range u.Members {
			if own.Name == m {
				return false
			}
		}
		return true
	}
	return false
}

// named is the tag of a struct or union, "" for anything else.
func named(t btf.Type) string {
	switch u := btf.Strip(t).(type) {
	case *btf.Struct:
		return u.Name
	case *btf.Union:
		return u.Name
	}
	return ""
}

func isStructType(t btf.Type) bool {
	switch btf.Strip(t).(type) {
	case *btf.Struct, *btf.Union:
		return true
	}
	return false
}

func pointeeOf(t btf.Type) btf.Type {
	if p, ok := btf.Strip(t).(*btf.Pointer); ok {
		return testKernel().Complete(p.Target)
	}
	return nil
}

var testKernel = sync.OnceValue(btf.Running)

func isChar(t btf.Type) bool {
	i, ok := btf.Strip(t).(*btf.Int)
	return ok && i.Name == "char"
}

func runPahole(file string) (string, error) {
	out, err := exec.Command("pahole", "-F", "btf", file).Output()
	return string(out), err
}

const btfFile = "/sys/kernel/btf/vmlinux"

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
