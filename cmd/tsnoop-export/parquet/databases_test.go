package parquet_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/parquet"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs"
)

// In SQL of these tests text(x) is x as text, which is null where x is, and calls the files.
var dialects = []struct {
	database
	text, list, keys, calls, losses string
}{
	{database{"duckdb", "duckdb.js"}, "CAST(%s AS VARCHAR)", "len(%s)", "map_keys",
		"read_parquet('calls/host=*/func=*/*.parquet', union_by_name = true, hive_types_autocast = false)", "'calls/losses.parquet'"},
	{database{"chdb", "clickhouse.js"}, "toString(%s)", "length(%s)", "mapKeys",
		"file('DIR/calls/host=*/func=*/*.parquet')", "file('DIR/calls/losses.parquet')"},
}

// answers asks a database and returns the values of each row, with spaces between them.
func answers(t *testing.T, i int, dir string, questions ...string) (all []string) {
	t.Helper()
	d := dialects[i]
	var statements []string
	for _, q := range questions {
		columns, rest, _ := strings.Cut(q, " from ")
		var selected []string
		for j, c := range strings.Split(columns, ", ") {
			if list, ok := strings.CutPrefix(c, "#"); ok {
				c = fmt.Sprintf(d.list, list)
			}
			selected = append(selected, fmt.Sprintf(d.text+" AS c%d", c, j))
		}
		rest = strings.NewReplacer("calls", d.calls, "losses", d.losses).Replace(rest)
		statement := "SELECT " + strings.Join(selected, ", ") + " FROM " + rest
		if d.name == "chdb" {
			statement += " SETTINGS schema_inference_mode = 'union', use_hive_partitioning = 0"
		}
		statements = append(statements, strings.NewReplacer("DIR", dir, "KEYS", d.keys).Replace(statement))
	}
	for j, rows := range d.ask(t, dir, statements...) {
		var lines []string
		for _, r := range rows {
			var cells []string
			for k := range len(r) {
				cells = append(cells, fmt.Sprint(r[fmt.Sprintf("c%d", k)]))
			}
			lines = append(lines, strings.Join(cells, " "))
		}
		if len(rows) == 0 {
			t.Errorf("%s: no rows", questions[j])
		}
		all = append(all, strings.Join(lines, "\n"))
	}
	return all
}

// DuckDB and ClickHouse read what was written: types, nulls, numbers of 64 bits, names and
// texts that are odd, maps, lists, and the same number of calls with the same sums.
func TestDuckDB(t *testing.T)     { testDatabase(t, 0) }
func TestClickHouse(t *testing.T) { testDatabase(t, 1) }

func testDatabase(t *testing.T, i int) {
	dialects[i].modules(t)
	dir := t.TempDir()
	out, err := parquet.New(output.To{}, parquet.Options{Out: filepath.Join(dir, "calls")})
	if err != nil {
		t.Fatal(err)
	}
	sum := odd(t, out)
	if err := out.Close(nil); err != nil {
		t.Fatal(err)
	}
	const where = " from calls where func = 'odd' order by ts_ns"
	asked := []struct{ question, want string }{
		{"u64, i64, yes, name, p, tree" + where, `18446744073709551615 -9223372036854775808 true é "x" 0xffff888003d2e000 {"a":[1,null]}
<nil> 9007199254740993 false <nil> 0x0 <nil>`},
		{`"a.b->c[3]", "args.pid", "SELECT '';--", host, comm, errno, pid, duration_ns, ret` + where,
			"1 2 3 ../h\n \ufffd <nil> <nil> <nil> <nil> <nil>\n<nil> <nil> <nil> ../h\n \ufffd a ENOENT 7 5 -2"},
		{"#KEYS(faults), faults['name'], text['u64'], #stack, stack[2] from calls where func = 'odd' and ts_ns = 2", "2 NULL -1 2 b [m]"},
		{"count(*), sum(n), count(name), min(name), max(name), count(distinct name), sum(duration_ns) from calls where func = 'many'", sum},
		{"host, func, count(*) from calls group by host, func order by host, func", "../h\n \ufffd many 200000\n../h\n \ufffd odd 2"},
		{"kind, count, host from losses", "lost 18446744073709551615 <nil>"},
	}
	var questions []string
	for _, a := range asked {
		questions = append(questions, a.question)
	}
	for j, got := range answers(t, i, dir, questions...) {
		if diff := cmp.Diff(asked[j].want, got); diff != "" {
			t.Errorf("%s:\n%s\n%s", asked[j].question, got, diff)
		}
	}
}

// odd writes calls with odd values, and many, whose names do not fit into a dictionary.
func odd(t *testing.T, out output.Output) string {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	item := func(name, typ string) *call.Item { return &call.Item{Name: name, Type: typ} }
	value := func(i *call.Item, kind json.TypedKind, n uint64, text string) call.Value {
		return call.Value{Item: i, Typed: json.Typed{Kind: kind, Number: n, Text: []byte(text)}}
	}
	trace := &call.Trace{Name: "a.dat", Origin: &tracefs.Origin{Host: "../h\n \xff", BootID: "12"}}
	must(out.Begin(trace))
	f := &call.Func{Name: "odd"}
	u64, i64, yes, name, p, tree := item("u64", "u64"), item("i64", "s64"), item("yes", "bool"), item("name", "char *"), item("p", "void *"), item("tree", "struct s")
	must(out.Call(&call.Call{Trace: trace, Func: f, Time: 1, PID: -1, Wall: 1795558606000000001, Args: []call.Value{
		value(u64, json.Uint, math.MaxUint64, ""), value(i64, json.Int, 1<<63, ""), value(yes, json.Bool, 1, ""), value(name, json.Text, 0, `é "x"`),
		value(p, json.Text, 0, "0xffff888003d2e000"), value(tree, json.Tree, 0, `{"a":[1,null]}`),
		value(item("a.b->c[3]", "int"), json.Int, 1, ""), value(item("pid", "int"), json.Int, 2, ""), value(item("SELECT '';--", "int"), json.Int, 3, "")}}))
	must(out.Call(&call.Call{Trace: trace, Func: f, Time: 2, PID: 7, Comm: []byte("a"), Timed: true, Duration: 5, Args: []call.Value{
		value(u64, json.Int, math.MaxUint64, ""), value(i64, json.Int, 1<<53+1, ""), value(yes, json.Bool, 0, ""), value(name, json.Null, 0, ""),
		value(p, json.Text, 0, "0x0"), value(tree, json.Null, 0, "")},
		Return: call.Value{Item: item("return", "int"), Typed: json.Typed{Kind: json.Int, Number: math.MaxUint64 - 1, Errno: "ENOENT"}},
		Faults: []call.Fault{{Name: []byte("name"), Text: []byte("NULL")}, {Name: []byte("tree.x"), Text: []byte("not in memory")}}, Stack: []string{"a", "b [m]"}}))
	many, n, sum, took := &call.Func{Name: "many"}, item("n", "unsigned long"), uint64(0), uint64(0)
	const calls = 200_000
	for i := range uint64(calls) {
		c := &call.Call{Trace: trace, Func: many, Time: 10 + i, TID: 3, Timed: i%2 == 0, Duration: i, Args: []call.Value{
			value(n, json.Int, i*i, ""), value(name, json.Text, 0, fmt.Sprintf("/a/path/that/is/long/%08d", i))}}
		if i%3 == 0 {
			c.Args[1].Kind = json.Null
		}
		must(out.Call(c))
		sum += i * i
		if c.Timed {
			took += i
		}
	}
	must(out.Loss(&call.Loss{Trace: &call.Trace{Origin: &tracefs.Origin{}}, Kind: call.LostHere, Count: math.MaxUint64, Known: true}))
	must(out.End(trace))
	named := calls - (calls+2)/3
	return fmt.Sprintf("%d %d %d /a/path/that/is/long/%08d /a/path/that/is/long/%08d %d %d", calls, sum, named, 1, calls-1, named, took)
}

// The databases find as many calls as were exported, with the same sums: of the recordings of
// the tests, and of those that make test-fleet makes on two kernels.
func TestRecordings(t *testing.T) {
	patterns := []string{"../../../testdata/recordings/*.dat", "../../../tracefs/tracedat/testdata/v7-zstd*.dat"}
	if made := os.Getenv("TSNOOP_FLEET_RECORDINGS"); made != "" {
		patterns = append(patterns, made)
	}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(err, pattern)
		}
		for _, name := range names {
			dir := t.TempDir()
			out, err := parquet.New(output.To{}, parquet.Options{Out: filepath.Join(dir, "calls")})
			if err != nil {
				t.Fatal(err)
			}
			sent := &summer{counter: counter{Output: out}}
			read(t, name, sent)
			if err := out.Close(nil); err != nil {
				t.Fatal(err)
			}
			took := fmt.Sprint(sent.took)
			if sent.ended == 0 {
				took = "<nil>"
			}
			want := fmt.Sprintf("%d %d %s %d", sent.n, sent.ended, took, sent.failed)
			for i, d := range dialects {
				t.Run(d.name+"/"+filepath.Base(name), func(t *testing.T) {
					d.modules(t)
					const question = "count(*), count(duration_ns), sum(duration_ns), count(errno) from calls"
					got := answers(t, i, dir, question)[0]
					t.Logf("%s: calls, timed, ns, failed: sent %s, found by %s %s", filepath.Base(name), want, d.name, got)
					if got != want {
						t.Errorf("found %s, want %s", got, want)
					}
				})
			}
		}
	}
}

// A summer counts calls, and adds up what databases do.
type summer struct {
	counter
	ended, failed int
	took          uint64
}

func (s *summer) Call(c *call.Call) error {
	if c.Timed {
		s.ended++
		s.took += c.Duration
	}
	if c.Errno() != "" {
		s.failed++
	}
	return s.counter.Call(c)
}
