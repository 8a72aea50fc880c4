package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// A wanted is a recording as tsnoop replay --json prints it.
type wanted struct {
	calls map[string]*sent // by their keys
	spans int
	add   int64 // to the trace clock, to get ns since 1970
}

// A sent is a call as an exporter is to send it.
type sent struct {
	parent string // its key, "" if it has none
	span   bool
	attrs  map[string]string
	took   int64 // ns
}

// replayed returns the calls of a recording, with the parents that --tree shows.
func replayed(t *testing.T, p programs, name string) *wanted {
	t.Helper()
	r := &wanted{calls: map[string]*sent{}}
	args := []string{"replay", "--json"}
	if bytes.Contains(p.run(t, "tsnoop-export", "otlp", name), []byte(`"code.stacktrace"`)) {
		args = append(args, "--kstack") // without it lines have no stacks
	}
	r.lines(t, p, name, args, func(l map[string]any) {
		s := &sent{attrs: attributes(l)}
		if l["duration_ns"] != nil {
			s.span, s.took = true, integer(l["duration_ns"])
			r.spans++
		}
		if r.calls[r.key(l)] != nil {
			t.Fatalf("two calls are %s", r.key(l))
		}
		r.calls[r.key(l)] = s
	})
	r.parents(t, p, name)
	return r
}

// lines calls do with each line of a call.
func (r *wanted) lines(t *testing.T, p programs, name string, args []string, do func(map[string]any)) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(p.run(t, "tsnoop", append(args, name)...)))
	d.UseNumber()
	for d.More() {
		var l map[string]any
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if o, ok := l["origin"].(map[string]any); ok && o["began"] != nil {
			began := o["began"].(map[string]any)
			r.add = integer(began["wall_ns"]) - integer(began["ts_ns"])
		}
		if l["func"] != nil && l["cpu"] != nil {
			do(l)
		}
	}
}

func (r *wanted) key(l map[string]any) string {
	return fmt.Sprint(integer(l["ts_ns"])+r.add, " ", l["tid"], " ", l["func"])
}

// parents finds the parents: the calls that have begun and not ended, less deep, and are spans.
func (r *wanted) parents(t *testing.T, p programs, name string) {
	type begun struct {
		key, call string
		depth     int64
	}
	open := map[string][]begun{} // by task
	r.lines(t, p, name, []string{"replay", "--json", "--tree"}, func(l map[string]any) {
		task := fmt.Sprint(l["tid"])
		if task == "0" {
			task += fmt.Sprint(" ", l["cpu"])
		}
		stack, call := open[task], fmt.Sprint(l["call"])
		if l["part"] == "end" {
			for i := range stack {
				if stack[i].call == call {
					open[task] = append(stack[:i:i], stack[i+1:]...)
				}
			}
			return
		}
		c := r.calls[r.key(l)]
		for _, b := range stack {
			if (l["part"] == nil || b.depth < integer(l["depth"])) && r.calls[b.key].span {
				c.parent = b.key
			}
		}
		if l["part"] == "begin" {
			open[task] = append(stack, begun{r.key(l), call, integer(l["depth"])})
		}
	})
}

func integer(v any) int64 {
	n, _ := v.(json.Number)
	x, _ := n.Int64()
	return x
}

// attributes returns the attributes that a call has, as text.
func attributes(l map[string]any) map[string]string {
	all := map[string]string{}
	for member, key := range map[string]string{"func": "code.function.name", "module": "tsnoop.module", "caller": "tsnoop.caller", "caller_module": "tsnoop.caller.module", "pid": "process.pid", "tid": "thread.id", "cpu": "cpu.logical_number", "comm": "thread.name"} {
		if v := l[member]; v != nil && v != "" {
			all[key] = fmt.Sprint(v)
		}
	}
	args, _ := l["args"].([]any)
	results, _ := l["ret_args"].([]any)
	if ret, ok := l["ret"].(map[string]any); ok {
		ret["name"] = "return"
		args = append(args, ret)
		if ret["errno"] != nil {
			all["error.type"] = fmt.Sprint(ret["errno"])
		}
	}
	for _, one := range append(args, results...) {
		arg := one.(map[string]any)
		set := func(prefix string, v any) {
			key, n := prefix+arg["name"].(string), 1
			for all[key] != "" {
				n++
				key = fmt.Sprintf("%s%s#%d", prefix, arg["name"], n)
			}
			all[key] = flat(v)
		}
		if arg["value"] != nil {
			set("tsnoop.arg.", arg["value"])
		}
		if arg["text"] != nil && arg["text"] != flat(arg["value"]) {
			set("tsnoop.text.", arg["text"])
		}
	}
	for _, one := range list(l["errors"]) {
		e := one.(map[string]any)
		all["tsnoop.fault."+e["name"].(string)] = fmt.Sprint(e["fault"])
	}
	for i, frame := range list(l["stack"]) {
		if i > 0 {
			all["code.stacktrace"] += "\n"
		}
		all["code.stacktrace"] += frame.(string)
	}
	for _, member := range []string{"orphan", "unfinished"} {
		if l[member] == true {
			all["tsnoop."+member] = "true"
		}
	}
	return all
}

func list(v any) []any {
	all, _ := v.([]any)
	return all
}

// flat returns a value as text: that of numbers in a struct is the same as that of text.
func flat(v any) string {
	switch v := v.(type) {
	case []any:
		s := "["
		for _, e := range v {
			s += flat(e) + " "
		}
		return s + "]"
	case map[string]any:
		sorted, err := json.Marshal(plain(v)) // sorts the keys
		if err != nil {
			panic(err)
		}
		return string(sorted)
	}
	return fmt.Sprint(v)
}

// plain turns all numbers of a value into text.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	case nil, bool, string:
	default:
		return fmt.Sprint(v)
	}
	return v
}
