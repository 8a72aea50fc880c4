package badinput

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Fuzz is f.Fuzz(fn) with the limits of Check for every input.
//
// Go's own fuzzing sees which branches an input takes, and runs some thousand inputs a
// second. With TSNOOP_MUTANTS=N in the environment, a normal run of the test makes N
// mutants of each input in the corpus, which is many times faster. This is for running
// millions of inputs, from a corpus that go test has found. TSNOOP_MUTANTS_SEED selects
// other mutants.
func Fuzz(f *testing.F, fn any) {
	f.Helper()
	n, _ := strconv.Atoi(os.Getenv("TSNOOP_MUTANTS"))
	seed, _ := strconv.ParseUint(os.Getenv("TSNOOP_MUTANTS_SEED"), 10, 64)
	body, total := reflect.ValueOf(fn), 0
	f.Fuzz(reflect.MakeFunc(body.Type(), func(args []reflect.Value) []reflect.Value {
		t := args[0].Interface().(*testing.T)
		Check(t, size(args[1:]), func() { body.Call(args) })
		if n > 0 {
			newMutator(args[1:], seed).run(t, body, n)
			total += n + 1
		}
		return nil
	}).Interface())
	if total > 0 {
		f.Logf("trust: %s executions %d", f.Name(), total)
	}
}

// size returns how many bytes an input has.
func size(input []reflect.Value) (n int) {
	for _, v := range input {
		if v.Kind() == reflect.String || v.Kind() == reflect.Slice {
			n += v.Len()
		}
	}
	return n
}

// A mutator makes mutants of an input.
type mutator struct {
	source *rand.PCG
	r      *rand.Rand
	from   []reflect.Value
}

func newMutator(from []reflect.Value, seed uint64) *mutator {
	h := fnv.New64a()
	for _, v := range from {
		switch v.Kind() {
		case reflect.String:
			h.Write([]byte(v.String()))
		case reflect.Slice:
			h.Write(v.Bytes())
		}
	}
	source := rand.NewPCG(seed, h.Sum64())
	return &mutator{source, rand.New(source), from}
}

// batch is for how long inputs are run before their cost is looked at, which takes longer
// than reading most inputs. It is much less than what one input may take.
const batch = 5 * time.Millisecond

// run runs body with n mutants. A batch that costs too much is run again one by one.
func (m *mutator) run(t *testing.T, body reflect.Value, n int) {
	for n > 0 {
		before, count := *m.source, 0
		if fits(func() {
			for start := time.Now(); n > 0 && time.Since(start) < batch; n-- {
				m.one(t, func(args []reflect.Value) { body.Call(args) })
				count++
			}
		}) {
			continue
		}
		*m.source = before
		for range count {
			m.one(t, func(args []reflect.Value) { Check(t, size(args[1:]), func() { body.Call(args) }) })
		}
	}
}

// one calls f with one mutant, and shows the mutant if that fails.
func (m *mutator) one(t *testing.T, f func([]reflect.Value)) {
	args := append([]reflect.Value{reflect.ValueOf(t)}, m.from...)
	for range 1 + m.r.IntN(2) {
		i := 1 + m.r.IntN(len(m.from))
		args[i] = m.mutate(args[i])
	}
	ended := false
	defer func() {
		if ended && !t.Failed() {
			return
		}
		if t.Skipped() {
			t.Error("skipped, which ends all mutants: return instead")
		}
		t.Logf("with this in testdata/fuzz/%s:\n%s", path.Dir(t.Name()), corpusFile(args[1:]))
		if ended {
			t.FailNow()
		}
	}()
	f(args)
	ended = true
}

// corpusFile is a file of testdata/fuzz that has the input.
func corpusFile(input []reflect.Value) string {
	var b strings.Builder
	b.WriteString("go test fuzz v1\n")
	for _, v := range input {
		if v.Kind() == reflect.Slice {
			fmt.Fprintf(&b, "[]byte(%q)\n", v.Bytes())
		} else {
			fmt.Fprintf(&b, "%v(%#v)\n", v.Type(), v)
		}
	}
	return b.String()
}

// mutate returns another value in place of v.
func (m *mutator) mutate(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		return reflect.ValueOf(string(m.bytes([]byte(v.String()))))
	case reflect.Slice:
		return reflect.ValueOf(m.bytes(append([]byte(nil), v.Bytes()...)))
	}
	if v.Kind() == reflect.Bool {
		return reflect.ValueOf(!v.Bool())
	}
	n := [...]uint64{m.r.Uint64(), m.r.Uint64() >> m.r.IntN(64), edges[m.r.IntN(len(edges))]}[m.r.IntN(3)]
	return reflect.ValueOf(n).Convert(v.Type())
}

// edges are numbers that programs often handle wrongly.
var edges = []uint64{
	0, 1, 2, 3, 4, 7, 8, 16, 28, 29, 30, 31, 32, 63, 64, 100, 127, 128, 255, 256, 511, 512, 1024, 4095, 4096, 1<<15 - 1, 1 << 15,
	1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1, 1<<64 - 4096, 1<<64 - 2,
}

// words occur in the texts that are parsed, or are likely to break the parsers.
var words = []string{
	"\n", "\r", "\t", " ", "\x00", "\xff", "\x1b[2J", "\u202e", "\u2028", "\u009b", "\"", "'", "\\", "(", ")", "[", "]", "{", "}", ":", ";", ",", "-", "0", "-1",
	"99999999999999999999", "0x", "ffffffffffffffff", "null", "true", "1e309", "%", "*", "->", ".", "&&", "||", "!", "if ", "return", "$comm", "@",
	"(fault)", "[LOST 3 EVENTS]", " <- ", "+0x0/0x10", "[000]", "12.345678: ", "field:", "offset:", "size:", "signed:", "__data_loc ",
}

// bytes changes b in one to four ways.
func (m *mutator) bytes(b []byte) []byte {
	for range 1 + m.r.IntN(4) {
		at := m.r.IntN(len(b) + 1)
		end := min(len(b), at+1+m.r.IntN(1<<m.r.IntN(8)))
		switch part := b[at:end]; m.r.IntN(8) {
		case 0: // another byte
			if len(part) > 0 {
				part[0] = byte(m.r.Uint32())
			}
		case 1: // another bit
			if len(part) > 0 {
				part[0] ^= 1 << m.r.IntN(8)
			}
		case 2: // a number, low byte first
			n := edges[m.r.IntN(len(edges))]
			for i := range min(len(b)-at, 1<<m.r.IntN(4)) {
				b[at+i] = byte(n >> (8 * i))
			}
		case 3: // less
			b = append(b[:at], b[end:]...)
		case 4: // some of it twice, or in another place
			to := m.r.IntN(len(b) + 1)
			b = slices.Insert(b, to, bytes.Clone(part)...)
		case 5:
			b = slices.Insert(b, at, []byte(words[m.r.IntN(len(words))])...)
		case 6: // the end is missing
			if m.r.IntN(4) == 0 {
				b = b[:at]
			}
		case 7: // a digit, as texts have them
			if len(part) > 0 {
				part[0] = '0' + byte(m.r.IntN(10))
			}
		}
	}
	return b
}
