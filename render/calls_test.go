package render_test

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

const kernelText = 0xffffffff81000000

// A record is a probe with the bytes of one of its records.
type record struct {
	probe *plan.Probe
	slots []value.Slot

	data    []byte // the fixed part
	strings []byte // what __data_loc words point at, from stringsAt on
}

const stringsAt = 256

// newProbe makes a probe that fetches nothing yet.
func newProbe(returns bool) *record {
	p := &plan.Probe{Comm: -1, Caller: -1, Stack: -1}
	if returns {
		p.Kind, p.Side = dynevent.Kretprobe, dynevent.Return
	}
	return &record{probe: p}
}

// arg adds an arg of size bytes that holds x, and is its index.
func (r *record) arg(size int, x uint64) int {
	r.slots = append(r.slots, value.Slot{Offset: len(r.data), Size: size})
	b := binary.LittleEndian.AppendUint64(nil, x)
	r.data = append(r.data, b[:size]...)
	return len(r.slots) - 1
}

// number adds a field that holds x.
func (r *record) number(label string, t btf.Type, x uint64, checks ...value.PointerCheck) *record {
	f := field(label, t, "")
	f.Arg, f.PointerChecks = r.arg(f.Size, x), checks
	r.probe.Fields = append(r.probe.Fields, f)
	return r
}

// text adds a string field.
func (r *record) text(label, s string, checks ...value.PointerCheck) *record {
	f := value.Field{Label: label, Type: charPtr, Encoding: value.String, PointerChecks: checks}
	f.Arg = r.str(s)
	r.probe.Fields = append(r.probe.Fields, f)
	return r
}

func (r *record) str(s string) int {
	i := len(r.slots)
	r.slots = append(r.slots, value.Slot{Offset: len(r.data), Size: 4, DataLoc: true})
	r.data = binary.LittleEndian.AppendUint32(r.data, uint32(stringsAt+len(r.strings)|(len(s)+1)<<16))
	r.strings = append(append(r.strings, s...), 0)
	return i
}

// from adds the caller.
func (r *record) from(addr uint64) *record {
	r.probe.Caller = r.arg(8, addr)
	return r
}

// comm adds the name of the task.
func (r *record) comm(s string) *record {
	r.probe.Comm = r.str(s)
	return r
}

func (r *record) event(ns uint64, cpu, tid int) *tracefs.Event {
	data := make([]byte, stringsAt)
	copy(data, r.data)
	return &tracefs.Event{Time: ns, CPU: cpu, TID: tid, Comm: []byte("old"), Data: append(data, r.strings...)}
}

func (r *record) decoder(plan *plan.Plan) *value.Decoder {
	r.probe.Plan = plan
	return r.probe.Decoder(r.slots, binary.LittleEndian, nil)
}

// newSource makes the source of a function from records of its two sides,
// either of which may be nil.
func newSource(name, module string, entry, ret *record) render.Source {
	plan := &plan.Plan{Func: &btf.Func{Name: name, Module: module}, Arch: abi.Named("amd64")}
	s := render.Source{Plan: plan}
	if entry != nil {
		plan.Probes, s.Decoders = append(plan.Probes, entry.probe), append(s.Decoders, entry.decoder(plan))
	}
	if ret != nil {
		plan.Probes, s.Decoders = append(plan.Probes, ret.probe), append(s.Decoders, ret.decoder(plan))
	}
	return s
}

// A scene is a call and the source it belongs to.
type scene struct {
	name   string
	source render.Source
	call   *calls.Call
	text   string
	json   string
}

func scenes() []scene {
	check := value.PointerCheck{Label: "skb->dev"}
	skb := func() *record {
		return newProbe(false).number("skb->len", cUint, 128).text("dev->name", "lo").from(kernelText + 0x11).comm("ping")
	}
	open := func() *record {
		return newProbe(false).number("dfd", cInt, 1<<32-100).text("name", "/etc/pa\"s\nswd\x1b[2J").comm("cat")
	}
	failed := func() *record { return newProbe(true).number("return", cInt, 1<<32-2) }
	broken := newProbe(false)
	check.Arg = broken.arg(8, 0)
	broken.number("dev->mtu", cUint, 7, check).number("hi", cUint, 1)

	dir := newProbe(true).number("return", skbPtr, 0xffff888000000010).number("return->len", cUint, 5)
	member := newProbe(true).number("return->len", cUint, 5).number("return->x", cBool, 1)
	nothing := newProbe(true)
	nothing.probe.Fields = []value.Field{{Label: "return", Encoding: value.Nothing}}
	hidden := newProbe(false).number("a", cInt, 1).number("b", cInt, 2)
	hidden.probe.Fields[0].Hidden = true
	partly := newProbe(false).number("a", cInt, 1)
	partly.probe.Fields = append(partly.probe.Fields, value.Field{Label: "opts", Type: skBuff, Encoding: value.Nothing})

	entry := func(r *record) *tracefs.Event { return r.event(1_000_000_000, 0, 7) }
	ret := func(r *record) *tracefs.Event { return r.event(1_000_012_345, 1, 7) }
	one := func(r *record) *calls.Call { return &calls.Call{Entry: entry(r)} }
	both := func(a, b *record) *calls.Call {
		return &calls.Call{Entry: entry(a), Return: ret(b), Duration: 12345}
	}
	o, f, s, h := open(), failed(), skb(), newProbe(false)
	return []scene{
		{"entry only", newSource("ip_rcv", "", s, nil), one(s),
			`ip_rcv_finish -> ip_rcv(skb->len=128, dev->name="lo")`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"ping","func":"ip_rcv","caller":"ip_rcv_finish",` +
				`"args":[{"name":"skb->len","type":"unsigned int","value":128},{"name":"dev->name","type":"const char *","value":"lo"}]}`},
		{"just the hit", newSource("do_exit", "", h, nil), one(h), `do_exit()`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"old","func":"do_exit","args":[]}`},
		{"a parameter that cannot be fetched", newSource("f", "", partly, nil), one(partly), `f(a=1, opts=?)`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"old","func":"f",` +
				`"args":[{"name":"a","type":"int","value":1},{"name":"opts","type":"struct sk_buff","value":null}]}`},
		{"both sides", newSource("do_sys_open", "", o, f), both(o, f),
			`do_sys_open(dfd=-100, name="/etc/pa\"s\nswd\x1b[2J") = -2 (ENOENT) <12.3us>`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"cat","func":"do_sys_open",` +
				`"args":[{"name":"dfd","type":"int","value":-100},{"name":"name","type":"const char *","value":"/etc/pa\"s\nswd\u001b[2J"}],` +
				`"ret":{"type":"int","value":-2,"errno":"ENOENT"},"end_ns":1000012345,"end_cpu":1,"duration_ns":12345}`},
		{"return only", newSource("do_sys_open", "fs", nil, f), &calls.Call{Return: ret(f)},
			`do_sys_open() = -2 (ENOENT)`,
			`{"ts_ns":1000012345,"cpu":1,"pid":null,"tid":7,"comm":"old","func":"do_sys_open","module":"fs","ret":{"type":"int","value":-2,"errno":"ENOENT"},"end_ns":1000012345}`},
		{"orphan", newSource("do_sys_open", "", o, f), &calls.Call{Return: ret(f), Orphan: true},
			`do_sys_open(entry not seen) = -2 (ENOENT)`,
			`{"ts_ns":1000012345,"cpu":1,"pid":null,"tid":7,"comm":"old","func":"do_sys_open","ret":{"type":"int","value":-2,"errno":"ENOENT"},"end_ns":1000012345,"orphan":true}`},
		{"unfinished", newSource("f", "", hidden, f), &calls.Call{Entry: entry(hidden), Unfinished: true},
			`f(b=2) = ?`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"old","func":"f","args":[{"name":"b","type":"int","value":2}],"unfinished":true}`},
		{"pointer and its members", newSource("f", "", h, dir), both(h, dir),
			`f() = 0xffff888000000010 {return->len=5} <12.3us>`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"old","func":"f","args":[],` +
				`"ret":{"type":"struct sk_buff *","value":"0xffff888000000010"},` +
				`"ret_args":[{"name":"return->len","type":"unsigned int","value":5}],"end_ns":1000012345,"end_cpu":1,"duration_ns":12345}`},
		{"only members", newSource("f", "", nil, member), &calls.Call{Return: ret(member)},
			`f() = {return->len=5, return->x=true}`,
			`{"ts_ns":1000012345,"cpu":1,"pid":null,"tid":7,"comm":"old","func":"f",` +
				`"ret_args":[{"name":"return->len","type":"unsigned int","value":5},{"name":"return->x","type":"_Bool","value":true}],"end_ns":1000012345}`},
		{"void", newSource("f", "", h, nothing), both(h, nothing), `f() <12.3us>`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"old","func":"f","args":[],"end_ns":1000012345,"end_cpu":1,"duration_ns":12345}`},
		{"fault", newSource("f", "", broken, nil), one(broken), `f(dev->mtu=(fault: skb->dev=NULL), hi=1)`,
			`{"ts_ns":1000000000,"cpu":0,"pid":null,"tid":7,"comm":"old","func":"f",` +
				`"args":[{"name":"dev->mtu","type":"unsigned int","value":null},{"name":"hi","type":"unsigned int","value":1}],` +
				`"errors":[{"name":"dev->mtu","fault":"skb->dev=NULL"}]}`},
	}
}
