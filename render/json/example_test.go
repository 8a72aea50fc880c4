package json_test

import (
	"encoding/binary"
	"os"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A call of vfs_open, of which the flags were fetched and what it has returned. Plans
// and calls come from tracefs/trace otherwise.
func Example() {
	u32, s32 := &btf.Int{Name: "unsigned int", Size: 4}, &btf.Int{Name: "int", Size: 4, Encoding: btf.IsSigned}
	shown := &plan.Plan{Func: &btf.Func{Name: "vfs_open"}, Arch: abi.Named("amd64")}
	entry := &plan.Probe{Plan: shown, Comm: -1, Caller: -1, Stack: -1,
		Fields: []value.Field{{Label: "file->f_flags", Type: u32, Format: "o", Size: 4}}}
	exit := &plan.Probe{Plan: shown, Comm: -1, Caller: -1, Stack: -1, Side: dynevent.Return,
		Fields: []value.Field{{Label: "return", Type: s32, Size: 4, Signed: true}}}
	shown.Probes = []*plan.Probe{entry, exit}
	slots := []value.Slot{{Offset: 0, Size: 4}}
	source := render.Source{
		Plan:     shown,
		Decoders: []*value.Decoder{entry.Decoder(slots, binary.LittleEndian, nil), exit.Decoder(slots, binary.LittleEndian, nil)},
	}

	var sink render.Sink = json.New([]render.Source{source}, render.Options{})
	line := sink.Open(nil)
	line = sink.End(line, &calls.Call{
		Entry:    &tracefs.Event{Time: 1.25e9, TID: 42, Comm: []byte("cat"), Data: []byte{0, 0x80, 0, 0}},
		Return:   &tracefs.Event{Time: 1.25e9 + 4200, TID: 42, Comm: []byte("cat"), Data: []byte{0xfe, 0xff, 0xff, 0xff}},
		Duration: 4200,
	})
	os.Stdout.Write(sink.Close(line))
	// Output:
	// {"ts_ns":1250000000,"cpu":0,"pid":null,"tid":42,"comm":"cat","func":"vfs_open","args":[{"name":"file->f_flags","type":"unsigned int","value":32768,"text":"0100000"}],"ret":{"type":"int","value":-2,"errno":"ENOENT"},"end_ns":1250004200,"duration_ns":4200}
}
