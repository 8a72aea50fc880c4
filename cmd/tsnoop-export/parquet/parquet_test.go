package parquet

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render/json"
)

// Each value is in the column of its item, by its type; what does not fit there is null, and
// its text is in the column text. The first calls decide on the types.
func TestValues(t *testing.T) {
	w, dir := opened(t)
	w.enough = 1 // each call is written at once
	f, long := &call.Func{Name: "f"}, item("addr", "unsigned long")
	ptr, name, is, sub := item("p", "struct s *"), item("p->name", "char *"), item("is", "bool"), item("x:u64", "int")
	one := func(at uint64, args ...call.Value) *call.Call {
		return &call.Call{Func: f, Time: at, PID: -1, TID: 3, Args: args}
	}
	calls := []*call.Call{
		one(1, value(long, json.Int, 5, ""), value(ptr, json.Text, 0, "0xffff888003d2e000"), value(name, json.Null, 0, ""), value(is, json.Bool, 1, ""), value(sub, json.Int, 7, "")),
		one(2, value(long, json.Uint, math.MaxUint64, ""), value(ptr, json.Tree, 0, `{"a":1}`), value(name, json.Text, 0, "x\x00y"), value(is, json.Int, 2, ""), value(sub, json.Int, 1<<53+1, "")),
		one(3, value(long, json.Text, 0, "many"), value(ptr, json.Int, math.MaxUint64, ""), value(name, json.Bytes, 0, "a\xff\\"), value(is, json.Bool, 0, ""), value(sub, json.Bool, 1, "")),
	}
	calls[0].Faults = []call.Fault{{Name: []byte("p->name"), Text: []byte("p=NULL")}, {Name: []byte("p->name"), Text: []byte("twice")}, {Name: []byte("q")}}
	export(t, w, newTrace("h"), calls...)
	late := one(1<<63, value(long, json.Int, math.MaxUint64, ""), value(sub, json.Uint, 1<<63, ""))
	late.Args[0].Label = []byte("-1 (minus \xfe one)")
	late.CPU, late.TID, late.Comm = 1<<40, -1<<40, []byte("c\x80")
	export(t, w, newTrace("h"), one(4, value(long, json.Null, 0, ""), value(sub, json.Null, 0, "")), late)
	must(t, w.Close(nil))

	const keys, values = "text/key_value/key", "text/key_value/value"
	first := readBack(t, dir+"/host=h/func=f/part-000001.parquet")
	check(t, first.show("ts_ns", "addr", "p", "p->name", "is", "x:u64", keys, values, "faults/key_value/key", "faults/key_value/value"), `
1 5 0xffff888003d2e000 null true 7 null null p->name|q p=NULL|
2 -1 {"a":1} x`+"\x00"+`y null 9007199254740993 is 2 null null
3 null -1 a`+"\ufffd"+`\ false 1 addr|p->name many|a\xff\\ null null
`) // parquet-go shows 64 bits as a signed number
	second := readBack(t, dir+"/host=h/func=f/part-000002.parquet")
	check(t, second.show("ts_ns", "addr", "x:u64", "comm", "cpu", "tid", "pid", keys, values), `
4 null null null 0 3 null null null
null null null c`+"\ufffd"+` null null null ts_ns|cpu|tid|comm|addr|x:u64 9223372036854775808|1099511627776|-1099511627776|c\x80|-1 (minus `+"\ufffd"+` one)|9223372036854775808
`)
	for _, line := range []string{
		"optional int64 time (TIMESTAMP(isAdjustedToUTC=true,unit=NANOS))", "optional binary p->name (STRING)",
		"optional int64 addr (INT(64,false))", "optional boolean is", "optional int64 x:u64 (INT(64,true))", "optional int64 ret (INT(64,true))",
	} {
		if !strings.Contains(first.schema, "\t"+line+";") {
			t.Errorf("there is no %q in\n%s", line, first.schema)
		}
	}
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(strings.TrimPrefix(want, "\n"), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}

// A value that is of another type from the first on has a column for both.
func TestForms(t *testing.T) {
	for _, tt := range []struct {
		typ  string
		seen []json.TypedKind
		want form
	}{
		{"int", nil, signed},
		{"size_t", nil, unsigned},
		{"_Bool", nil, boolean},
		{"char *", nil, text},
		{"char [16]", nil, text},
		{"struct s", nil, text},
		{"", nil, text},
		{"", []json.TypedKind{json.Bool}, boolean},
		{"", []json.TypedKind{json.Bool, json.Int}, signed},
		{"bool", []json.TypedKind{json.Bool, json.Int}, boolean},
		{"int", []json.TypedKind{json.Int, json.Uint}, unsigned},
		{"int", []json.TypedKind{json.Int, json.Null}, signed},
		{"size_t", []json.TypedKind{json.Text, json.Int}, text},
		{"char *", []json.TypedKind{json.Int}, signed},
	} {
		c := []column{{Type: tt.typ, Where: "args"}}
		for _, kind := range tt.seen {
			c[0].seen[kind] = true
		}
		if decide(c); c[0].form != tt.want {
			t.Errorf("%q with %d: %d, want %d", tt.typ, tt.seen, c[0].form, tt.want)
		}
	}
}

// The column ret has numbers: for an error pointer, that of its error. Other pointers, and
// numbers that do not fit, are in the column text.
func TestReturns(t *testing.T) {
	w, dir := opened(t)
	f := &call.Func{Name: "f"}
	var calls []*call.Call
	for _, v := range []json.Typed{
		{Kind: json.Text, Text: []byte("0xfffffffffffffffe"), Errno: "ENOENT"}, {Kind: json.Text, Text: []byte("0xffff888003d2e000")}, {Kind: json.Text, Text: []byte("0x0")},
		{Kind: json.Int, Number: math.MaxUint64 - 1, Errno: "ENOENT"}, {Kind: json.Uint, Number: math.MaxUint64}, {Kind: json.Bool, Number: 1}, {Kind: json.Null},
	} {
		calls = append(calls, &call.Call{Func: f, Return: call.Value{Item: item("return", "struct file *"), Typed: v}})
	}
	export(t, w, newTrace("h"), append(calls, &call.Call{Func: f})...)
	must(t, w.Close(nil))
	check(t, readBack(t, dir+"/host=h/func=f/part-000001.parquet").show("ret", "errno", "text/key_value/value"), `
-2 ENOENT null
null null 0xffff888003d2e000
null null 0x0
-2 ENOENT null
null null 18446744073709551615
1 null null
null null null
null null null
`)
}

// Columns have the names of items, except for what other programs take for the same name.
func TestNames(t *testing.T) {
	w, dir := opened(t)
	f, long := &call.Func{Name: "f"}, strings.Repeat("é", 500)
	names := []string{"pid", "count", "count", "COUNT", "a.b->c[3]", `q"` + "`;--\n\x1b[2J", "", long, long + "x", "ret", "args.pid", "text"}
	c := &call.Call{Func: f, PID: 1}
	for i, name := range names {
		c.Args = append(c.Args, number(name, "int", int64(i)))
	}
	c.Results = []call.Value{number("count", "int", 20), number("new", "int", 21), number("new", "long", 22)}
	c.Return = number("return", "int", 23)
	// Another spec of the same function, whose calls come between.
	other := &call.Call{Func: &call.Func{Name: "f"}, PID: 1, Args: []call.Value{number("count", "int", 31), number("count", "long", 32)}}
	again := *c
	export(t, w, newTrace("h"), c, other, &again)
	must(t, w.Close(nil))
	file := readBack(t, dir+"/host=h/func=f/part-000001.parquet")
	if len(file.rows) != 3 || len(files(t, dir)) != 2 {
		t.Fatalf("%d rows in %q", len(file.rows), files(t, dir))
	}
	want := map[string]string{
		"args.pid": "0", "count": "1", "args.count": "2", "COUNT_2": "3", "a.b->c[3]": "4", `q"` + "`;--\\n\\x1b[2J": "5", "_": "6",
		"args.ret": "9", "args.args.pid": "10", "args.text": "11", "ret_args.count": "20", "new": "21", "ret_args.new": "22", "ret": "23",
	}
	for name, value := range want {
		if got := file.rows[0][name]; got != value {
			t.Errorf("%s is %q, want %s", name, got, value)
		}
	}
	if got := len(file.rows[0]) - len(want); got != 2+9 {
		t.Errorf("there are %d more columns, want two with cut names and nine that all calls have: %v", got, file.rows[0])
	}
	if diff := cmp.Diff(file.rows[0], file.rows[2]); diff != "" {
		t.Error(diff)
	}
	check(t, file.show("count", "args.count", "count_3"), "1 2 null\n31 null 32\n1 2 null\n")
	for name := range file.rows[0] {
		if len(name) > 140 {
			t.Errorf("the name of a column has %d bytes: %s", len(name), name)
		}
	}
}

// More values than a file can have columns for are in the column text.
func TestManyColumns(t *testing.T) {
	w, dir := opened(t)
	w.enough = 1000
	f := &call.Func{Name: "f"}
	var calls []*call.Call
	for i := range 3 * mostColumns {
		calls = append(calls, &call.Call{Func: f, Time: uint64(i), Args: []call.Value{number(fmt.Sprintf("x%d", i), "int", int64(i))}})
	}
	export(t, w, newTrace("h"), calls...)
	must(t, w.Close(nil))
	n := 0
	for _, name := range files(t, dir+"/host=h") {
		for _, row := range readBack(t, dir+"/host=h/"+name).rows {
			at := row["ts_ns"]
			if row["x"+at] != at && (row["text/key_value/key"] != "x"+at || row["text/key_value/value"] != at) {
				t.Fatalf("%v", row)
			}
			n++
		}
	}
	if n != len(calls) {
		t.Errorf("%d of %d calls", n, len(calls))
	}
}
