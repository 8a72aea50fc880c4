package fetchargs_test

import (
	"encoding/binary"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// returnsOf is the verdict of a probe that returns f, and a record that holds x.
func returnsOf(f value.Field, x int64) (*plan.ReturnErrno, []byte) {
	retval := dynevent.Base{Kind: dynevent.Retval}
	p := &plan.Probe{
		Plan: &plan.Plan{Arch: abi.Named("amd64")}, Side: dynevent.Return, Fields: []value.Field{f},
		Args: []dynevent.Arg{{Base: retval, Hops: make([]dynevent.Hop, 1)}, {Base: retval}},
	}
	record := binary.LittleEndian.AppendUint64(make([]byte, 8), uint64(x))
	slots := []value.Slot{{Size: 8}, {Offset: 8, Size: f.Size}}
	return plan.NewReturnErrno(p, p.Decoder(slots, binary.LittleEndian, nil), nil), record
}

func TestReturnErrno(t *testing.T) {
	sint := func(name string, size uint32) btf.Type {
		return &btf.Int{Name: name, Size: size, Encoding: btf.IsSigned}
	}
	cInt, cShort := sint("int", 4), sint("short int", 2)
	ssize := &btf.Typedef{Name: "ssize_t", Type: sint("long int", 8)}
	cUlong := &btf.Int{Name: "long unsigned int", Size: 8}
	cBool := &btf.Int{Name: "_Bool", Size: 1, Encoding: btf.Bool}
	pointer := &btf.Pointer{Target: &btf.Struct{Name: "sk_buff", Size: 232}}
	plain := func(typ btf.Type, format string) value.Field {
		size, _ := btf.Size(typ)
		return value.Field{Label: "return", Type: typ, Format: format, Arg: 1, Size: size, Signed: btf.Signed(typ)}
	}
	renamed := plain(cInt, "")
	renamed.Label = "r"
	member := renamed
	member.Arg = 0
	hidden := plain(cInt, "")
	hidden.Hidden = true
	guarded := plain(cInt, "")
	guarded.PointerChecks = []value.PointerCheck{{Label: "return"}}
	added := plain(pointer, "")
	added.Add = 8
	for _, tt := range []struct {
		name  string
		field value.Field
		value int64
		want  int
	}{
		{"int", plain(cInt, ""), -2, 2},
		{"int", plain(cInt, ""), 5, 0},
		{"int", plain(cInt, ""), -5000, 0},
		{"an int without a name", plain(cInt, ""), -600, 0},
		{"in hexadecimal", plain(cInt, "x"), -2, 2},
		{"ssize_t", plain(ssize, ""), -512, 512},
		{"unsigned", plain(cUlong, ""), -2, 0},
		{"unsigned as error", plain(cUlong, "errno"), -2, 2},
		{"a count shown as errors are", plain(cInt, "errno"), 13, 0},
		{"short", plain(cShort, ""), -2, 0},
		{"bool", plain(cBool, ""), 1, 0},
		{"pointer", plain(pointer, ""), -12, 12},
		{"pointer", plain(pointer, ""), -600, 600},
		{"pointer", plain(pointer, ""), 0, 0},
		{"pointer", plain(pointer, ""), -0x7fff_0000_0000, 0},
		{"another name", renamed, -2, 2},
		{"a member", member, -2, 0},
		{"hidden", hidden, -2, 2},
		{"through a pointer", guarded, -2, 0},
		{"address of a member", added, -2, 0},
	} {
		v, record := returnsOf(tt.field, tt.value)
		if got := v.Errno(record); got != tt.want {
			t.Errorf("%s %d: got %d, want %d", tt.name, tt.value, got, tt.want)
		}
	}
}

// BenchmarkReturnErrno is what a call costs that is only counted.
func BenchmarkReturnErrno(b *testing.B) {
	v, record := returnsOf(value.Field{Label: "return", Type: &btf.Int{Name: "int", Size: 4, Encoding: btf.IsSigned}, Arg: 1, Size: 4, Signed: true}, -2)
	e := &tracefs.Event{Data: record}
	c := &calls.Call{Entry: e, Return: e}
	var s sum.Sum
	b.ReportAllocs()
	for b.Loop() {
		c.Duration = (c.Duration*6364136223846793005 + 1) >> 40
		s.Add(c, v.Errno(c.Return.Data))
	}
}
