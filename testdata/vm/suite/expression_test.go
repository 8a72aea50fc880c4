//go:build vm

package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// An expression is a random one of the language, with what a judge needs to evaluate
// it: where it begins and which pointers lead to the value.
type expression struct {
	text string
	root string  // a variable of the kernel, or "" for the function's first parameter
	hops []int64 // to be added to the address; after each except the last a pointer is loaded
	ends ending

	size       int // bytes of a number, or of one element
	n          int // elements, or characters of an array
	bit, width int // of a bit field
	signed     bool

	steps []step // through members, for pahole to judge
}

type step struct {
	of, member string
	bit        int
}

// An ending is what an expression ends in.
type ending int

const (
	plainNumber ending = iota
	bitField
	address  // the place of what the hops lead to
	textHere // a char[n]
	textFar  // at a pointer that the hops lead to
	elements // an array of numbers
)

// Room that a fetcharg has on the kernels that give least, less what its type takes.
const exprRoom = 63 - 12

// fetcharg is the expression as the kernel reads it, without its type.
func (e *expression) fetcharg(arg string) string {
	text, hops := "@"+e.root, e.hops
	if e.root == "" {
		text = arg
	} else if e.hops[0] != 0 {
		text = fmt.Sprintf("@%s%+d", e.root, e.hops[0])
	}
	if e.root != "" {
		hops = hops[1:]
	}
	for _, h := range hops {
		text = fmt.Sprintf("%+d(%s)", h, text)
	}
	if e.ends == textFar {
		text = "+0(" + text + ")"
	}
	return text
}

// An exprRoot is something that expressions begin with: a pointer.
type exprRoot struct{ text, symbol, typ string }

var exprRoots = []exprRoot{
	{"file", "", "file"}, {"file", "", "file"}, {"file", "", "file"},
	{"((struct task_struct *)&@init_task)", "init_task", "task_struct"},
	{"((struct task_struct *)&@init_task)", "init_task", "task_struct"},
	{"((struct net *)&@init_net)", "init_net", "net"},
	{"((struct uts_namespace *)&@init_uts_ns)", "init_uts_ns", "uts_namespace"},
	{"((struct user_namespace *)&@init_user_ns)", "init_user_ns", "user_namespace"},
	{"((struct cred *)&@init_cred)", "init_cred", "cred"},
	{"((struct mm_struct *)&@init_mm)", "init_mm", "mm_struct"},
}

// exprStarts are members to begin with: what is quiet and has much in it.
var exprStarts = map[string][]string{
	"file": {"f_inode", "f_inode", "f_inode.i_sb", "f_op", "f_cred", "f_path.dentry", "f_path.mnt", "f_inode.i_sb.s_type"},
	"net":  {"loopback_dev", "loopback_dev", "loopback_dev"},
}

// held are members that tell who holds the object, which the call itself does.
var held = map[string]bool{"f_count": true, "f_ref": true, "usage": true, "f_pos_lock": true, "f_pipe": true, "thread": true}

// An exprMaker makes expressions of the types that the judge reads.
type exprMaker struct {
	rnd  *rand.Rand
	raw  *rawBTF
	cast []string // structs to take memory for
	// seldom: few expressions begin with a variable, because the kernel looks each up in
	// all of its symbols (before 6.2).
	seldom bool
}

func newExprMaker(raw *rawBTF, seed uint64) *exprMaker {
	m := &exprMaker{rnd: rand.New(rand.NewPCG(seed, 11)), raw: raw}
	for name, ids := range raw.byName {
		if len(ids) == 1 && raw.types[ids[0]].kind == rawStruct && raw.types[ids[0]].size <= 256 {
			m.cast = append(m.cast, name)
		}
	}
	slices.Sort(m.cast)
	return m
}

// make makes one; it tries until it has one that fits.
func (m *exprMaker) make() *expression {
	for {
		e := m.try()
		if e != nil && len(e.fetcharg("$arg1")) <= exprRoom {
			return e
		}
	}
}

func (m *exprMaker) try() *expression {
	r := exprRoots[m.rnd.IntN(len(exprRoots))]
	if m.seldom && m.rnd.IntN(100) > 0 {
		r = exprRoots[0]
	}
	ids := m.raw.byName[r.typ]
	if len(ids) != 1 {
		return nil
	}
	e := &expression{text: r.text, root: r.symbol, hops: []int64{0}}
	id := ids[0]
	if starts := exprStarts[r.typ]; m.rnd.IntN(3) > 0 && len(starts) > 0 {
		for name := range strings.SplitSeq(starts[m.rnd.IntN(len(starts))], ".") {
			i := slices.IndexFunc(m.raw.members(id), func(rm rawMember) bool { return rm.name == name })
			if i < 0 {
				return nil
			}
			rm := m.raw.members(id)[i]
			m.into(e, id, rm)
			t := m.raw.strip(rm.typ)
			if m.raw.types[t].kind == rawPtr {
				e.hops = append(e.hops, 0)
				t = m.target(t)
			}
			id = t
		}
	}
	for depth := 1 + m.rnd.IntN(4); ; depth-- {
		members := m.raw.members(id)
		if len(members) == 0 {
			return nil
		}
		rm := members[m.rnd.IntN(len(members))]
		if held[rm.name] || slices.ContainsFunc(members, func(o rawMember) bool { return o != rm && o.name == rm.name }) {
			return nil
		}
		m.into(e, id, rm)
		if rm.width > 0 {
			e.hops[len(e.hops)-1] += int64(rm.bit / 8)
			e.ends, e.bit, e.width, e.signed = bitField, rm.bit%8, rm.width, m.raw.types[m.raw.strip(rm.typ)].signed
			return e
		}
		t, done := m.index(e, m.raw.strip(rm.typ))
		if t < 0 {
			return nil
		}
		if done {
			return e
		}
		switch u := &m.raw.types[t]; u.kind {
		case rawInt, rawEnum, rawEnum64:
			return m.number(e, u)
		case rawPtr:
			if id = m.pointer(e, t, depth); id < 0 {
				return nil
			}
			if id == 0 {
				return e
			}
		case rawStruct, rawUnion:
			outer := &m.raw.types[id]
			if whole := !strings.HasSuffix(e.text, "]"); whole && m.rnd.IntN(8) == 0 && outer.kind == rawStruct && len(m.raw.byName[outer.name]) == 1 {
				e.text = fmt.Sprintf("container_of(&%s, struct %s, %s)", e.text, outer.name, rm.name)
				e.hops[len(e.hops)-1] -= int64(rm.bit / 8)
				continue
			}
			id = t
		default:
			return nil
		}
	}
}

// into goes into a member.
func (m *exprMaker) into(e *expression, id int, rm rawMember) {
	e.text += []string{"->", "->", "."}[m.rnd.IntN(3)] + rm.name
	e.steps = append(e.steps, step{m.raw.types[id].name, rm.name, rm.bit})
	if rm.width == 0 {
		e.hops[len(e.hops)-1] += int64(rm.bit / 8)
	}
}

// index takes an element of an array, or all of it; -1 for what cannot be shown.
func (m *exprMaker) index(e *expression, t int) (_ int, done bool) {
	for m.raw.types[t].kind == rawArray {
		elem := m.raw.strip(m.raw.types[t].to)
		u, n, size := &m.raw.types[elem], m.raw.types[t].n, m.raw.size(elem)
		switch {
		case n == 0 || size == 0:
			return -1, false
		case u.kind == rawInt && u.char:
			e.ends, e.n = textHere, n
			return t, true
		case (u.kind == rawInt || u.kind == rawEnum) && n > 1 && n*size <= 64 && size <= 8 && m.rnd.IntN(2) == 0:
			e.ends, e.n, e.size = elements, n, size
			return t, true
		}
		i := m.rnd.IntN(n)
		e.text += fmt.Sprintf("[%d]", i)
		e.hops[len(e.hops)-1] += int64(i * size)
		t = elem
	}
	return t, false
}

func (m *exprMaker) target(t int) int { return m.raw.whole(m.raw.strip(m.raw.types[t].to)) }

// pointer ends at a pointer, which is 0, or is the struct that it leads to.
func (m *exprMaker) pointer(e *expression, t, depth int) int {
	to := m.target(t)
	u := &m.raw.types[to]
	e.ends, e.size = plainNumber, 8
	follow := func(id int) int {
		e.hops = append(e.hops, 0)
		return id
	}
	switch {
	case m.raw.types[m.raw.types[t].to].kind == rawTypeTag: // __user, __percpu
		return 0
	case e.isPerCPU(): // without a tag
		return 0
	case u.kind == rawInt && u.name == "unsigned char": // numbers or, as in struct qstr, text
		return -1
	case u.kind == rawInt && u.char:
		e.ends, e.n = textFar, 256
		return 0
	case depth <= 0:
		return 0
	case (u.kind == rawStruct || u.kind == rawUnion) && len(u.members) > 0:
		if m.rnd.IntN(6) == 0 {
			e.text = "(*" + e.text + ")"
		}
		return follow(to)
	case u.kind == rawInt && u.size <= 8 && m.rnd.IntN(2) == 0:
		e.text = "*" + e.text
		e.size, e.signed = u.size, u.signed
		follow(0)
		return 0
	case to == 0 && m.rnd.IntN(3) == 0: // void
		name := m.cast[m.rnd.IntN(len(m.cast))]
		e.text = "((struct " + name + " *)" + e.text + ")"
		return follow(m.raw.byName[name][0])
	}
	return 0
}

// isPerCPU reports whether the last member is known to point to what each CPU has its own
// of, which tsnoop does not follow.
func (e *expression) isPerCPU() bool {
	last := e.steps[len(e.steps)-1]
	return value.IsPerCPU(value.SetOfMember(&btf.Struct{Name: last.of}, last.member))
}

// number ends at an integer, as it is or otherwise.
func (m *exprMaker) number(e *expression, u *rawType) *expression {
	if u.size > 8 {
		return nil
	}
	e.ends, e.size, e.signed = plainNumber, u.size, u.signed
	take := func(form string) {
		types := []struct {
			name   string
			size   int
			signed bool
		}{{"u8", 1, false}, {"s8", 1, true}, {"unsigned short", 2, false}, {"s16", 2, true}, {"u32", 4, false}, {"int", 4, true}, {"s64", 8, true}, {"unsigned long", 8, false}}
		c := types[m.rnd.IntN(len(types))]
		if c.size <= u.size {
			e.text, e.size, e.signed = fmt.Sprintf(form, c.name, e.text), c.size, c.signed
		}
	}
	switch m.rnd.IntN(10) {
	case 0:
		e.text, e.ends = "&"+e.text, address
	case 1:
		take("*(%s *)&%s")
	case 2, 3:
		take("(%s)%s")
	}
	return e
}

// A judged is what an expression is, by the judge.
type judged struct {
	fault bool
	num   uint64
	text  string
}

// judge evaluates an expression in the kernel's memory; param is the function's first
// parameter.
func (e *expression) judge(k *kcore, param uint64) (j judged) {
	addr, ok := k.symbols[e.root], true
	if e.root == "" {
		addr = param
	}
	for i, h := range e.hops {
		addr += uint64(h)
		if i == len(e.hops)-1 {
			break
		}
		addr, ok = k.word(addr, 8)
		if last := i == len(e.hops)-2; !ok || !isKernel(addr) && !(last && e.ends == address) {
			return judged{fault: true}
		}
	}
	switch e.ends {
	case address:
		return judged{num: addr}
	case plainNumber:
		j.num, ok = k.word(addr, e.size)
		if bits := 8 * e.size; e.signed && bits < 64 {
			j.num = uint64(int64(j.num<<(64-bits)) >> (64 - bits))
		}
	case bitField:
		var b []byte
		b, ok = k.read(addr, (e.bit+e.width+7)/8)
		for i := range b {
			j.num |= uint64(b[i]) << (8 * i) >> e.bit
		}
		if len(b) > 8 {
			return judged{}
		}
		if j.num <<= 64 - e.width; e.signed {
			j.num = uint64(int64(j.num) >> (64 - e.width))
		} else {
			j.num >>= 64 - e.width
		}
	case textHere:
		j.text, ok = k.text(addr, e.n)
	case elements:
		var b []byte
		b, ok = k.read(addr, e.n*e.size)
		j.text = string(b)
	case textFar:
		if addr, ok = k.word(addr, 8); ok {
			if ok = isKernel(addr); ok {
				j.text, ok = k.text(addr, e.n)
			}
		}
	}
	if !ok {
		return judged{fault: true}
	}
	return j
}

// isKernel distinguishes pointers into the kernel from NULL, errors and others.
func isKernel(addr uint64) bool { return addr >= 0xff00000000000000 && addr < 0xfffffffffffff001 }
