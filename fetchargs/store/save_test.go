package store_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// savedSpecs has everything that plans can hold.
var savedSpecs = []string{
	"ip_rcv(skb->dev->name, skb->len > 100, dev->perm_addr:mac) if skb->len != 5 && (dev->mtu < 1500 || !(dev->name ~ \"e*\"))",
	"ip_rcv(skb, return < 0) if skb->len == skb->data_len",
	"ip_rcv(x=since(skb, skb->len > 100, dev->mtu == 5) > 1ms)",
	"ip_rcv(x=who(skb, skb->len > 100, dev->mtu == 5) != $comm, y=who(dev))",
	"ip_rcv(x=since(skb, skb->len, wake_up_new_task(p, p->pid) if p->pid > 1))",
	"wake_up_new_task(*p) if p->pid > 1",
}

func saveSample(t testing.TB) []byte { return savePlans(t, savedSpecs...) }

func savePlans(t testing.TB, texts ...string) []byte {
	target := &target.Target{
		Arch:   abi.Named("amd64"),
		Kernel: btf.Open(filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")),
		Live:   true, Calls: true, Nonce: "abcdef",
	}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	var specs []*spec.Spec
	for _, text := range texts {
		spec, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, spec)
	}
	plans, err := fetchargs.Resolve(specs, target)
	if err != nil {
		t.Fatal(err)
	}
	data, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSavedObject has the layout of a struct that is shown whole saved with it.
func TestSavedObject(t *testing.T) {
	plans, err := store.Load(saveSample(t))
	if err != nil {
		t.Fatal(err)
	}
	kernel := btf.Open(filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf"))
	task, err := kernel.Type("struct task_struct")
	if err != nil {
		t.Fatal(err)
	}
	layout := func(typ btf.Type) string {
		var b strings.Builder
		if err := kernel.Layout(&b, typ); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	saved := plans[len(plans)-1].Entry().Fields[0].Type
	if got, want := layout(saved), layout(task); got != want || len(want) < 10000 {
		t.Errorf("saved was\n%swant\n%s", got, want)
	}
}

// TestLoadDamaged has the sample with one thing in it changed to what cannot be.
func TestLoadDamaged(t *testing.T) {
	good := string(saveSample(t))
	member := func(name string) string { return regexp.MustCompile(`"` + name + `":\{[^{}]*\}`).FindString(good) }
	for _, tt := range []struct{ old, new, want string }{
		{`"version":3`, `"version":4`, "version 4, this program knows only 3"},
		{`"version":3`, `"version":0`, "version 0, this program knows only 3"},
		{`"version":3`, `"version":2`, "a build from before the first release wrote version 2"},
		{`"version":3`, `"Version":1`, "a build from before the first release wrote version 1 of them: replay the recording with that build"},
		{`"arch":"amd64"`, `"arch":"vax"`, "unknown architecture"},
		{`"spec":"ip_rcv(`, `"spec":"ip_rcv((`, "ip_rcv(("},
		{`"side":"entry"`, `"side":"middle"`, "unknown side"},
		{`"kind":"kprobe"`, `"kind":"kretprobe"`, "not a probe of the entry"},
		{`"kind":"kretprobe","side":"return"`, `"kind":"kprobe","side":"entry"`, "out of order"},
		{`"comm":`, `"comm":1`, "argument out of range"},
		{`"stack":`, `"stack":-`, "argument out of range"},
		{`"stack":`, `"caller":0,"stack":`, "the caller of a return"},
		{`"base":"$arg1"`, `"base":"$arg0"`, "unknown start"},
		{`"base":"$arg1"`, `"base":"$arg1","count":65`, "of 65 elements"},
		{`"type":"x64"`, `"type":"x63"`, "unknown type"},
		{`"type":"x64"`, `"type":""`, "cannot be of type"},
		{`"name":"stack"`, `"name":"a b"`, "not a valid name"},
		{`"name":"stack"`, `"name":"` + strings.Repeat("x", 32) + `"`, "not a valid name"},
		{`"span":[`, `"span":[99`, "of a spec of"},
		{`"span":[`, `"span":[-`, "of a spec of"},
		{`"encoding":"integer"`, `"encoding":"float"`, "unknown encoding"},
		{`"encoding":"integer","arg":`, `"encoding":"integer","arg":9`, "impossible field"},
		{`"encoding":"integer","arg":`, `"encoding":"integer","arg":-1`, "impossible field"},
		{`"encoding":"integer"`, `"encoding":"bitfield"`, "impossible field"},
		{`"encoding":"integer"`, `"encoding":"nothing","bits":65`, "impossible field"},
		{`"encoding":"integer"`, `"format":"roman","encoding":"integer"`, "impossible field"},
		{`"space":"kernel"`, `"space":"outer"`, "unknown space"},
		{`"arg":0,"space":"kernel"`, `"arg":99,"space":"kernel"`, "a guard out of range"},
		{`"op":"!="`, `"op":"=~"`, "unknown comparison"},
		{`"field":`, `"field":9`, "a condition on a value"},
		{member("left"), `"left":null`, "a comparison of nothing"},
		{member("value"), `"value":null`, "a comparison with nothing"},
		{`"version":3`, `"version":3,"later":true`, `saved by a later version: json: unknown field "later"`},
		{`"left":`, `"lift":`, `saved by a later version: json: unknown field "lift"`},
		{`"value":{"kind":"`, `"value":{"kind":"x`, "unknown value"},
		{`"value":{`, `"value":{"bits":1,`, "a prefix"},
		{`"or":[`, `"and":[],"or":[null,`, "no condition"},
		{`"encoding":"dumped"`, `"encoding":"array"`, "impossible field"},
		{`"encoding":"integer"`, `"encoding":"dumped"`, "impossible field"},
		{`"dump":{`, `"dump":{"off":2000000000,`, "impossible dump"},
		{`"args":5`, `"args":500`, "impossible dump"},
		{`"at":`, `"at":9`, "impossible dump"},
		{`"whole":`, `"whole":9999999999`, "impossible dump"},
		{`"rest":[[1,`, `"rest":[[9,`, "impossible dump"},
		{`"rest":[[1,`, `"rest":[[1,9`, "impossible dump"},
		{`{"start":`, `{"start":-9`, "impossible dump"},
		{`p_pid \u003e 1`, `p_pid \u003e 2`, "another filter"},
		{`"name":"p_pid"`, `"name":"p_pie"`, "does not fetch"},
		{`"key":`, `"key":9`, "a clock without"},
		{`"age":`, `"age":-`, "a clock without"},
		{`"second":2`, `"second":99`, "a clock without"},
		{`"func":"ip_rcv"`, `"starts":"x","func":"ip_rcv"`, "started by more than its record"},
		{`"encoding":"clock"`, `"encoding":"age"`, "a clock without"},
		{`"types":"`, `"types":"AAAA`, "BTF"},
	} {
		data := replaceAny(good, tt.old, tt.new)
		_, err := store.Load([]byte(data))
		if data == good || !errors.Is(err, store.ErrSaved) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s instead of %s: got %v, want %q", tt.new, tt.old, err, tt.want)
		}
	}
}

// replaceAny replaces the first of old that Load then refuses, or else the first.
func replaceAny(s, old, new string) string {
	for at := 0; ; at++ {
		next := strings.Index(s[at:], old)
		if next < 0 {
			return strings.Replace(s, old, new, 1)
		}
		at += next
		changed := s[:at] + new + s[at+len(old):]
		if _, err := store.Load([]byte(changed)); err != nil {
			return changed
		}
	}
}

// FuzzLoad decodes records with plans that came from anywhere.
func FuzzLoad(f *testing.F) {
	for _, text := range savedSpecs {
		f.Add(savePlans(f, text), []byte("0123456789012345678901234567890123456789012345678901234567890123456789"))
	}
	f.Add([]byte(`{"version":3}`), []byte{})
	badinput.Fuzz(f, func(t *testing.T, data, record []byte) {
		plans, err := store.Load(data)
		if err != nil {
			if !errors.Is(err, store.ErrSaved) {
				t.Errorf("%v is not ErrSaved", err)
			}
			return
		}
		for _, plan := range plans {
			var decoders []*value.Decoder
			var records [][]byte
			for _, p := range plan.Probes {
				i := 0
				slots, err := p.Slots(func(string) (value.Slot, bool) {
					i++
					return value.Slot{Offset: 4 * i, Size: 1 << (i % 4), DataLoc: i%3 == 0}, true
				})
				if err != nil {
					t.Fatal(err)
				}
				d := p.Decoder(slots, binary.LittleEndian, nil)
				for i := range p.Fields {
					d.Value(i, record)
				}
				for _, i := range []int{p.Comm, p.Caller, p.Stack} {
					if i >= 0 {
						d.Text(i, record)
					}
				}
				decoders, records = append(decoders, d), append(records, record)
			}
			plan.Match(decoders, records, 5, true)
			for i, p := range plan.Probes {
				for j, f := range p.Fields {
					if f.Dump != nil && len(f.Dump.Rest) > 0 {
						n := len(plan.Of(p.Side))
						value.NewObjectAssembler(j, decoders[i:i+n]).Value(records[i : i+n])
					}
				}
			}
		}
	})
}
