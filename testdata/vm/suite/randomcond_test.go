//go:build vm

package suite

import (
	"fmt"
	"math/rand/v2"
)

// A randomCond is a condition on a call, and what a model says of it.
type randomCond struct {
	text  string
	holds func(madeCall) bool
}

// A condMaker makes random conditions on a function's arguments and return value.
type condMaker struct {
	rnd    *rand.Rand
	values []condValue
}

// A condValue is a value of a call that conditions ask for.
type condValue struct {
	name   string
	of     func(madeCall) int64
	choose func(*rand.Rand) int64 // something to compare it with
	signed bool
}

// entry and exit are the values of generic_file_llseek before and after it has run.
var (
	entryValues = []condValue{
		{"offset", func(c madeCall) int64 { return c.Offset }, func(r *rand.Rand) int64 { return int64(r.IntN(24) - 8) }, true},
		{"whence", func(c madeCall) int64 { return c.Whence }, func(r *rand.Rand) int64 { return int64(r.IntN(4)) }, false},
	}
	exitValues = []condValue{
		{"return", func(c madeCall) int64 { return c.Ret }, func(r *rand.Rand) int64 { return int64(r.IntN(12) - 2) }, true},
		{"return", func(c madeCall) int64 { return c.Ret }, func(r *rand.Rand) int64 { return -22 }, true},
	}
)

// cond makes a condition of so many levels of && and || at most.
func (m *condMaker) cond(depth int) randomCond {
	if depth == 0 || m.rnd.IntN(4) == 0 {
		return m.compare()
	}
	switch m.rnd.IntN(5) {
	case 0:
		x := m.cond(depth - 1)
		return randomCond{"!(" + x.text + ")", func(c madeCall) bool { return !x.holds(c) }}
	case 1, 2:
		x, y := m.cond(depth-1), m.cond(depth-1)
		return randomCond{"(" + x.text + " && " + y.text + ")", func(c madeCall) bool { return x.holds(c) && y.holds(c) }}
	}
	x, y := m.cond(depth-1), m.cond(depth-1)
	return randomCond{"(" + x.text + " || " + y.text + ")", func(c madeCall) bool { return x.holds(c) || y.holds(c) }}
}

func (m *condMaker) compare() randomCond {
	v := m.values[m.rnd.IntN(len(m.values))]
	n := v.choose(m.rnd)
	ops := map[string]func(a, b int64) bool{
		"==": func(a, b int64) bool { return a == b }, "!=": func(a, b int64) bool { return a != b },
		"<": func(a, b int64) bool { return a < b }, "<=": func(a, b int64) bool { return a <= b },
		">": func(a, b int64) bool { return a > b }, ">=": func(a, b int64) bool { return a >= b },
		"&": func(a, b int64) bool { return a&b != 0 },
	}
	names := []string{"==", "!=", "<", "<=", ">", ">=", "&"}
	op := names[m.rnd.IntN(len(names))]
	if op == "&" && n <= 0 {
		n = 1 + 2*(n&1)
	}
	value := fmt.Sprint(n)
	if n == -22 && v.name == "return" {
		value = "-EINVAL"
	}
	return randomCond{fmt.Sprintf("%s %s %s", v.name, op, value), func(c madeCall) bool { return ops[op](v.of(c), n) }}
}
