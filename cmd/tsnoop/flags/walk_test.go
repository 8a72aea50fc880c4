package flags_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// A use is how a flag is given, and what it acts on.
type use struct {
	value string
	needs string // other words that it cannot do without
	acts  string // on what; a flag that acts on nothing that is there must be refused
}

// uses has what the flags act on: "run", a trace that runs; "calls", what is shown of
// them; "values", shown or in definitions; "lines" of calls; "members" of structs; "text", which is not JSON; "sums", and what is "fetched" for them; "disk",
// a recording; "part", of one that is replayed; or always.
var uses = map[string]use{
	"file": {"a.tsnoop", "", "always"}, "reload": {"", "--file=a.tsnoop", "calls run"}, "pid": {"1", "", "always"}, "follow": {"", "--pid=1", "always"},
	"user": {"u", "--", "run"}, "comm": {"x", "", "always"}, "cpu": {"0", "", "always"}, "wait-module": {"", "", "always"}, "count": {"1", "", "calls"}, "duration": {"1s", "", "run"}, "from": {"1s", "", "part"}, "to": {"2s", "", "part"}, "offset": {"a=1s", "", "part"},
	"chain": {"", "", "always"}, "tree": {"", "", "lines"}, "kstack": {"", "", "lines"}, "follow-pointers": {"", "", "values"}, "zeros": {"", "", "members"}, "types": {"", "", "text"},
	"compact": {"", "", "text"}, "summary": {"", "", "sums"}, "sort": {"mean", "", "sums"}, "by": {"tid", "", "fetched"}, "hist": {"count", "", "fetched"}, "heat": {"", "", "sums"},
	"interval": {"2s", "--summary", "sums"}, "group": {"task", "", "text"}, "time": {"clock", "", "calls"}, "json": {"", "", "calls"}, "output": {"f", "", "always"}, "compress": {"", "record", "disk"},
	"sync": {"2s", "record", "disk"}, "color": {"never", "", "always"}, "verbose": {"", "", "always"}, "emit": {"", "", "always"}, "explain": {"", "", "always"}, "btf": {"f", "", "always"},
	"arch": {"arm64", "--explain", "always"}, "kernel": {"5.10", "--explain", "always"}, "buffer": {"1M", "", "run"}, "pages": {"9", "", "run"}, "maxactive": {"9", "", "always"}, "kprobes": {"", "", "always"},
	"max-rate": {"9", "", "run"}, "force": {"", "", "run"}, "on-tamper": {"restore", "", "run"}, "reader": {"text", "", "run"}, "tracefs": {"/t", "", "always"}, "recover": {"f", "record", "disk"},
}

// lacking has what is not there with some flags.
var lacking = map[string]string{
	"--emit": "run calls lines members text sums fetched", "--explain": "run calls lines members text sums", "--heat": "values lines members text", "--json": "text", "record": "members text part", "trace": "part",
}

// clashing has pairs that cannot be heeded both, whatever they act on.
var clashing = []string{
	"buffer pages", "emit explain", "chain reload", "kstack reader", "pid user", "follow user", "emit user", "explain user", "user arch", "user kernel", "reload compress", "reload sync", "reload recover",
	"arch emit", "kernel emit", // with the --explain that the others need
	"recover emit", "recover explain", "recover arch", "recover kernel", // record goes without
	"compress emit", "compress explain", "compress arch", "compress kernel", "sync emit", "sync explain", "sync arch", "sync kernel",
	"compress sort", "compress by", "compress hist", "compress heat", "sync sort", "sync by", "sync hist", "sync heat", "recover sort", "recover by", "recover hist", "recover heat",
}

// TestPairs gives all pairs of flags, in both orders: each pair is refused, by the name of
// a flag, or neither undoes what the other sets. Which are refused follows from what they
// act on.
func TestPairs(t *testing.T) {
	var names []string
	for _, r := range flags.Rows() {
		if r.Name != "version" && r.Name != "help" { // instead of all else
			names = append(names, r.Name)
		}
	}
	accepted, refused := 0, 0
	for _, a := range names {
		for _, b := range names {
			if _, ok := uses[a]; !ok {
				t.Fatalf("what does --%s act on?", a)
			}
			if a == b {
				continue
			}
			args, absent := lineOf(a, b)
			o, err := flags.Parse(args)
			idle := slices.ContainsFunc([]string{a, b}, func(flag string) bool {
				return !slices.ContainsFunc(strings.Fields(uses[flag].acts), func(on string) bool { return !slices.Contains(absent, on) })
			})
			switch want := idle || slices.Contains(clashing, a+" "+b) || slices.Contains(clashing, b+" "+a); {
			case want && err == nil:
				t.Errorf("%q is accepted", args)
			case !want && err != nil:
				t.Errorf("%q: %v", args, err)
			case err != nil:
				if refused++; !strings.Contains(err.Error(), "--") && !strings.Contains(err.Error(), a) && !strings.Contains(err.Error(), b) {
					t.Errorf("%q: %v, which names no flag", args, err)
				}
			default:
				accepted++
				for _, flag := range []string{a, b} {
					args, _ := lineOf(flag)
					checkSet(t, a+" "+b, args, o)
				}
			}
		}
	}
	t.Logf("%d pairs are accepted, %d refused", accepted, refused)
}

// lineOf returns a command line with the flags and what they need, and what is lacking
// with these.
func lineOf(names ...string) (args, absent []string) {
	var program []string
	command := "trace"
	words := []string{"vfs_read(count, return)"}
	for _, name := range names {
		u := uses[name]
		word := "--" + name // perhaps there already, for another one
		if u.value != "" {
			word += "=" + u.value
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
		switch {
		case u.needs == "--":
			program = []string{"--", "true"}
		case u.needs == "record":
			command = "record"
			words = append(words, "--output=f")
		case u.needs == "--summary" && slices.Contains(names, "heat"):
		case u.needs != "" && !slices.Contains(words, u.needs):
			words = append(words, u.needs)
		}
	}
	words = append([]string{command}, words...)
	for _, w := range words {
		absent = append(absent, strings.Fields(lacking[w])...)
	}
	if slices.Contains(words, "--heat") && (slices.Contains(words, "--summary") || command == "record") { // has lines
		absent = slices.DeleteFunc(absent, func(s string) bool {
			return s == "values" || s == "lines" || s == "members" || s == "text" && !slices.Contains(words, "--json")
		})
	}
	return append(words, program...), absent
}

// checkSet reports what args set and o lacks.
func checkSet(t *testing.T, pair string, args []string, o *flags.Options) {
	t.Helper()
	alone, err := flags.Parse(args)
	if err != nil {
		t.Errorf("%q: %v", args, err)
		return
	}
	plain, _ := flags.Parse([]string{"trace", "vfs_read(count, return)"})
	was, set, now := valuesOf(plain), valuesOf(alone), valuesOf(o)
	for name, v := range set {
		byDefault := name == ".Args" || name == ".Summary" || name == ".Plan.Measures" || name == ".Interval" && args[len(args)-1] == "--heat"
		if v != was[name] && now[name] != v && !byDefault {
			t.Errorf("%s: %s is %s, not %s", pair, name, now[name], v)
		}
	}
}

// valuesOf returns the exported fields of a struct, and of those in it.
func valuesOf(o *flags.Options) map[string]string {
	all := map[string]string{}
	var walk func(v reflect.Value, name string)
	walk = func(v reflect.Value, name string) {
		for i := range v.NumField() {
			f, name := v.Field(i), name+"."+v.Type().Field(i).Name
			switch {
			case !v.Type().Field(i).IsExported():
			case f.Kind() == reflect.Struct:
				walk(f, name)
			case f.Kind() == reflect.Func, f.Kind() == reflect.Pointer, f.Kind() == reflect.Interface:
				all[name] = fmt.Sprint(f.IsNil())
			default:
				all[name] = fmt.Sprint(f)
			}
		}
	}
	walk(reflect.ValueOf(o).Elem(), "")
	return all
}
