package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
)

// readSpec is what readsOf is text of.
const readSpec = "vfs_read(count, return)"

// readsOf is what a kernel would print of that many calls of vfs_read, one after the
// other of each of some tasks.
func readsOf(rnd *rand.Rand, n int, count func() uint64) string {
	var text strings.Builder
	now := uint64(100e6) // us
	for range n {
		task := rnd.IntN(7)
		head := func() string {
			return fmt.Sprintf("%16s-%-7d [%03d] ..... %d.%06d:", fmt.Sprintf("task%d", task%3), 100+task, rnd.IntN(4), now/1e6, now%1e6)
		}
		c := count()
		fmt.Fprintf(&text, "%s vfs_read: (vfs_read+0x0/0x340) count=%d\n", head(), c)
		now += 1 + rnd.Uint64N(1<<rnd.IntN(16))
		ret := int64(min(c, 1<<40))
		if rnd.IntN(4) == 0 {
			ret = -[]int64{11, 4, 5}[rnd.IntN(3)]
		}
		fmt.Fprintf(&text, "%s vfs_read__return: (ksys_read+0x6a/0xe0 <- vfs_read) return=%d\n", head(), ret)
		now += rnd.Uint64N(3e4)
	}
	return text.String()
}

// A measuredLine is a line of JSON, of a call or of a sum.
type measuredLine struct {
	Func     string
	Comm     string
	Caller   string
	TS       uint64 `json:"ts_ns"`
	End      uint64 `json:"end_ns"`
	Span     uint64 `json:"span_ns"`
	Duration uint64 `json:"duration_ns"`
	Args     []struct {
		Name  string
		Value *big.Int
	}
	Ret struct {
		Value *big.Int
		Errno string
	}

	Summary, Heat string
	By            struct {
		Name   string
		Value  any
		Others bool
	}
	Calls   uint64
	Errors  map[string]uint64
	Total   uint64 `json:"total_ns"`
	Max     uint64 `json:"max_ns"`
	Numbers []measuredNumbers
	Cells   []octaveLine
}

type octaveLine struct {
	From  uint64 `json:"from_ns"`
	To    uint64 `json:"to_ns"`
	Calls uint64
}

type measuredNumbers struct {
	Name            string
	Calls, Unknown  uint64
	Total, Min, Max *big.Int
	Mean            mean
	Histogram       []rangeLine
}

// A mean is rounded in the third decimal, or in a later one.
type mean struct{ *big.Rat }

func (m *mean) UnmarshalJSON(b []byte) error {
	m.Rat = new(big.Rat)
	return m.UnmarshalText(b)
}

var compareMeans = cmp.Comparer(func(a, b mean) bool {
	off := new(big.Rat).Sub(a.Rat, b.Rat)
	return off.Abs(off).Cmp(big.NewRat(1, 2000)) <= 0
})

type rangeLine struct {
	Least, Most *big.Int
	Calls       uint64
}

// measuredLines are the lines of a replay in JSON.
func measuredLines(t *testing.T, text string, flags ...string) (all []measuredLine) {
	t.Helper()
	out, said, err := replayText(t, strings.NewReader(text), []string{readSpec}, append([]string{"--json"}, flags...)...)
	if err != nil || said != "" {
		t.Fatalf("%v: %v, said %s", flags, err, said)
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	for d.More() {
		var l measuredLine
		if err := d.Decode(&l); err != nil {
			t.Fatalf("%v: %v", flags, err)
		}
		all = append(all, l)
	}
	return all
}

// A model is what calls come to, added up in a plain way.
type model struct {
	Calls, Total, Max uint64
	Errors            map[string]uint64
	Numbers           []measuredNumbers
}

// modelOf adds calls up by a key.
func modelOf(lines []measuredLine, key func(*measuredLine) string, numbers map[string]func(*measuredLine) *big.Int, names ...string) map[string]model {
	values := map[string][][]*big.Int{}
	all := map[string]model{}
	for i := range lines {
		l := &lines[i]
		k := key(l)
		m, ok := all[k]
		if !ok {
			m.Errors = map[string]uint64{}
			values[k] = make([][]*big.Int, len(names))
		}
		m.Calls, m.Total, m.Max = m.Calls+1, m.Total+l.Duration, max(m.Max, l.Duration)
		if l.Ret.Errno != "" {
			m.Errors[l.Ret.Errno]++
		}
		for j, name := range names {
			values[k][j] = append(values[k][j], numbers[name](l))
		}
		all[k] = m
	}
	for k, m := range all {
		for j, name := range names {
			m.Numbers = append(m.Numbers, numbersOf(name, values[k][j]))
		}
		all[k] = m
	}
	return all
}

func numbersOf(name string, values []*big.Int) measuredNumbers {
	n := measuredNumbers{Name: name, Calls: uint64(len(values)), Total: new(big.Int)}
	slices.SortFunc(values, (*big.Int).Cmp)
	n.Min, n.Max = values[0], values[len(values)-1]
	for _, v := range values {
		n.Total.Add(n.Total, v)
		least := new(big.Int) // of the power of two that it is in
		if v.Sign() != 0 {
			least.Lsh(big.NewInt(1), uint(v.BitLen()-1))
		}
		most := new(big.Int).Sub(new(big.Int).Lsh(least, 1), big.NewInt(1))
		switch {
		case v.Sign() == 0:
			most.SetInt64(0)
		case v.Sign() < 0:
			least, most = most.Neg(most), least.Neg(least)
		}
		last := len(n.Histogram) - 1
		if last < 0 || n.Histogram[last].Least.Cmp(least) != 0 {
			n.Histogram = append(n.Histogram, rangeLine{least, most, 0})
			last++
		}
		n.Histogram[last].Calls++
	}
	n.Mean.Rat = new(big.Rat).SetFrac(n.Total, big.NewInt(int64(len(values))))
	return n
}

var compareInts = cmp.Comparer(func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 })

// TestMeasures holds the tables of --by and --hist against what their lines add up to.
func TestMeasures(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 5))
	text := readsOf(rnd, 2000, func() uint64 { return max(1<<rnd.IntN(40)+rnd.Uint64N(3), 1) - 1 }) // the edges of the ranges
	lines := measuredLines(t, text)
	numbers := map[string]func(*measuredLine) *big.Int{
		"count":    func(l *measuredLine) *big.Int { return l.Args[0].Value },
		"return":   func(l *measuredLine) *big.Int { return l.Ret.Value },
		"duration": nil,
	}
	for _, tt := range []struct {
		by    string
		key   func(*measuredLine) string
		hists []string
	}{
		{"", func(*measuredLine) string { return "<nil>" }, []string{"count", "return"}},
		{"comm", func(l *measuredLine) string { return l.Comm }, []string{"return"}},
		{"caller", func(l *measuredLine) string { return l.Caller }, nil},
		{"return", func(l *measuredLine) string { return l.Ret.Value.String() }, []string{"count"}},
	} {
		t.Run(tt.by, func(t *testing.T) {
			flags := []string{"--summary=only"}
			if tt.by != "" {
				flags = append(flags, "--by", tt.by)
			}
			for _, h := range tt.hists {
				flags = append(flags, "--hist", h)
			}
			want := modelOf(lines, tt.key, numbers, tt.hists...)
			got := map[string]model{}
			for _, l := range measuredLines(t, text, flags...) {
				got[fmt.Sprint(l.By.Value)] = model{l.Calls, l.Total, l.Max, l.Errors, l.Numbers}
			}
			if diff := cmp.Diff(want, got, compareInts, compareMeans); diff != "" {
				t.Errorf("-lines +table:\n%s", diff)
			}
		})
	}
}

// TestManyKeys: of more keys than are kept no call is forgotten, and those that come
// again and again are not among the others.
func TestManyKeys(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	next := uint64(1000)
	text := readsOf(rnd, 6000, func() uint64 {
		if rnd.IntN(2) == 0 {
			return rnd.Uint64N(10)
		}
		next++
		return next
	})
	want := map[string]uint64{}
	for _, l := range measuredLines(t, text) {
		want[l.Args[0].Value.String()]++
	}
	var calls, others uint64
	table := measuredLines(t, text, "--summary=only", "--by", "count", "--sort", "calls")
	for i, l := range table {
		calls += l.Calls
		if l.By.Others {
			others = l.Calls
		} else if n := want[fmt.Sprint(l.By.Value)]; n != l.Calls || i < 10 && n < 100 {
			t.Errorf("%d: %v has %d calls, want %d", i, l.By.Value, l.Calls, n)
		}
	}
	if calls != 6000 || others == 0 || len(table) > 1001 {
		t.Errorf("%d calls, %d of them others, in %d rows", calls, others, len(table))
	}
	out, _, err := replayText(t, strings.NewReader(text), []string{readSpec}, "--summary=only", "--by", "count")
	out, histograms, _ := strings.Cut(out, "\n\n")
	if err != nil || strings.Count(out, "\n") != 2+51 || strings.Count("\n\n"+histograms, "\n\nvfs_read, ") != 10 || !strings.Contains(out, "\nvfs_read  others ") || !strings.Contains(out, "more values than are kept") {
		t.Errorf("%v: text is\n%s", err, out)
	}
}

// TestSort: each order sorts the rows by what it is called.
func TestSort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	text := readsOf(rnd, 500, func() uint64 { return rnd.Uint64N(20) })
	by := map[string]func(l *measuredLine) uint64{
		"calls": func(l *measuredLine) uint64 { return l.Calls },
		"total": func(l *measuredLine) uint64 { return l.Total },
		"mean":  func(l *measuredLine) uint64 { return l.Total / l.Calls },
		"max":   func(l *measuredLine) uint64 { return l.Max },
		"errors": func(l *measuredLine) (n uint64) {
			for _, e := range l.Errors {
				n += e
			}
			return n
		},
	}
	for order, of := range by {
		table := measuredLines(t, text, "--summary=only", "--by", "count", "--sort", order)
		if len(table) != 20 || !slices.IsSortedFunc(table, func(a, b measuredLine) int { return int(of(&b)) - int(of(&a)) }) {
			t.Errorf("%s: %d rows are not sorted", order, len(table))
		}
	}
}

// TestHeat holds the map against the lines.
func TestHeat(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	text := readsOf(rnd, 300, func() uint64 { return 1 })
	lines := measuredLines(t, text)
	const every = 100e6
	rows := measuredLines(t, text, "--heat", "-i", "100ms")
	last := rows[len(rows)-1]
	rows = rows[:len(rows)-1]
	if last.Summary != "vfs_read" || last.Calls != 300 {
		t.Errorf("in the end %+v", last)
	}
	var calls uint64
	for i, row := range rows {
		isLast := i == len(rows)-1 // it ends with the last call
		if row.Span != every && !isLast || row.Span > every || row.Heat != "vfs_read" {
			t.Fatalf("a row of %d ns, of %q", row.Span, row.Heat)
		}
		want := map[int]uint64{}
		n := uint64(0)
		for _, l := range lines {
			if l.End >= row.TS-row.Span && (l.End < row.TS || isLast) {
				want[bits.Len64(l.Duration)]++
				n++
			}
		}
		got := map[int]uint64{}
		for _, c := range row.Cells {
			got[bits.Len64(c.From)] = c.Calls
		}
		if diff := cmp.Diff(want, got); diff != "" || row.Calls != n {
			t.Errorf("until %d: %d calls of %d (-lines +row):\n%s", row.TS, row.Calls, n, diff)
		}
		calls += row.Calls
	}
	if calls != 300 {
		t.Errorf("%d calls in %d rows", calls, len(rows))
	}
}

// TestMeasureErrors: a value that cannot be measured is refused with its place.
func TestMeasureErrors(t *testing.T) {
	for _, tt := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--hist", "file"}, "file is an address, not a number"},
		{[]string{"--hist", "file->f_path.dentry->d_name.name"}, "is not a number"},
		{[]string{"--hist", "nosuch"}, `vfs_read has no parameter "nosuch"`},
		{[]string{"--hist", "count > 3"}, "this is a condition, not a value"},
		{[]string{"--by", "*file"}, "*file is a struct file, which cannot be compared"},
		{[]string{"--by", "duration"}, "too many to have a row each"},
		{[]string{"--by", "file->"}, ""},
		{[]string{"--by", ""}, "takes a value, or comm, caller, pid, tid, cpu, stack"},
		{[]string{"--hist", ""}, "an expression is missing"},
		{[]string{"--by", "count, pos"}, ""},
		{[]string{"--hist", "n=count"}, "the value needs no name here"},
	} {
		o, err := flags.Parse(append([]string{"--btf", "../../testdata/btf/linux-6.12-amd64.btf", "--kernel", "6.12", "--explain", readSpec}, tt.flags...))
		if err == nil {
			_, err = target.LinePlans(o, o.Args)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.flags, err, tt.want)
		}
	}
}
