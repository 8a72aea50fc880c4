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

// seekWords are the kernel's words for whence.
var seekWords = []string{"SEEK_SET", "SEEK_CUR", "SEEK_END", "SEEK_DATA", "SEEK_HOLE"}

// oddLabels are names for items that mean something else elsewhere: formats, types, members,
// words of the language and of JSON, flags, and fields of the kernel's own events.
var oddLabels = []string{
	"x", "s8", "path", "ip4", "errno", "percpu", "bits", "seek", "u64", "string", "char", "symbol", "unsigned", "struct",
	"f_flags", "f_inode", "i_sb", "s_id", "name", "type", "value", "text", "ret", "args", "func", "tid", "cpu", "comm",
	"if", "duration", "since", "who", "sizeof", "container_of", "true", "NULL",
	"O_CREAT", "SEEK_END", "ENOENT", "common_pid", "__probe_ip", "arg1", "stack", "_",
}

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
	switch {
	case n == -22 && v.name == "return":
		value = "-EINVAL"
	case v.name == "whence" && m.rnd.IntN(2) == 0:
		value = seekWords[n]
	}
	return randomCond{fmt.Sprintf("%s %s %s", v.name, op, value), func(c madeCall) bool { return ops[op](v.of(c), n) }}
}
