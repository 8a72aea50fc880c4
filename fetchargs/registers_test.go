package fetchargs_test

import (
	"cmp"
	"encoding/binary"
	"errors"
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
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestRegisters fetches as the kernel would, from an object of the bytes 0x81,
// 0x82, ..., and shows the values.
func TestRegisters(t *testing.T) {
	for _, tt := range []struct{ arch, spec, want string }{
		{"", "take_either(t:x64)", "0x8887868584838281"},
		{"", "take_either(t:x32)", "{0x84838281, 0x88878685}"},
		{"", "take_either(t.y:x32)", "0x84838281"},
		{"", "take_either(t.y:x16)", "0x8281"},
		{"", "take_either(t.y:hex)", "81 82 83 84"},
		{"", "take_either(t:hex)", "81 82 83 84 85 86 87 88"},
		{"", "take_either(t.b)", "{0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88}"},
		{"", "take_either(t.s)", "{-127, -126, -125, -124, -123, -122, -121, -120}"},
		{"", "take_either(t.s[1])", "-126"},
		{"", "take_either(*t.b)", "129"},
		{"", "take_either(t.net:port)", "33154"},
		{"", "take_either(t.net:be16)", "33154"},
		{"", "take_either(t:ip4)", "129.130.131.132"},
		{"", "take_either(t.mid:x)", "0x2c241c140"}, // 35 bits from bit 1 on
		{"", "take_arrays(t.b:mac)", "81:82:83:84:85:86"},
		{"", "take_arrays(t.w:x)", "{0x8887, 0x8a89}"}, // in both registers
		{"", "take_arrays(t.w[1]:x)", "0x8a89"},
		{"", "take_arrays(t.t:x)", "0x908f8e8d"},
		{"", "take_arrays(t:ip6)", "8182:8384:8586:8788:898a:8b8c:8d8e:8f90"},
		{"", "take_letters(t:hex)", "81 82 83 84 85 86 87 88 89 8a 8b 8c"},
		{"", "take_letters(t.c[9]:x)", "0x8a"},
		{"", "take_across(t.a:x)", "0x8584838281"},
		{"", "take_across(t.b:x)", "0x8b8a89888786"},
		{"", "take_across(t.c:x)", "0x908f8e8d8c"},
		{"arm64", "take_unaligned(t.b:x)", "0x8988878685848382"},
		{"arm64", "take_unaligned(t.c:x)", "0x8d8c8b8a"},
		{"", "take_bits(p->straddle:x)", "0xd8c8b8a89888786"}, // of a packed struct in memory
		{"", "take_nine_bytes(p->b:x)", "0x3110f0d0b0907050"},
		{"", "take_nine_bytes(p->c)", "-556256922168867516"},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			object := make([]byte, 64)
			for i := range object {
				object[i] = byte(0x81 + i)
			}
			parsed, err := spec.Parse(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			target := &target.Target{Kernel: btf.Open("../testdata/btf/corners.btf"), Arch: abi.Named(cmp.Or(tt.arch, "amd64"))}
			target.Features, _ = dynevent.FeaturesOf("6.12")
			plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, target)
			if err != nil {
				t.Fatal(err)
			}
			saved, err := store.Save(plans)
			if err != nil {
				t.Fatal(err)
			}
			if plans, err = store.Load(saved); err != nil {
				t.Fatal(err)
			}
			probe := plans[0].Entry()
			var record []byte
			var slots []value.Slot
			for _, arg := range probe.Args {
				slots = append(slots, value.Slot{Offset: len(record), Size: arg.Size()})
				record = append(record, fetch(t, &arg, object)...)
			}
			d := probe.Decoder(slots, binary.LittleEndian, func(uint64) bool { return true })
			p := text.New([]render.Source{{Plan: plans[0], Decoders: []*value.Decoder{d}}}, render.Options{Time: render.TimeNone})
			line := string(p.End(nil, &calls.Call{Entry: &tracefs.Event{Data: record}}))
			want := "(" + probe.Fields[0].Label + "=" + tt.want + ")\n"
			if !strings.HasSuffix(line, want) {
				t.Errorf("got %s, want ...%s; fetched were %v", line, want, probe.Args)
			}
		})
	}
}

// fetch is what a kernel fetches where object is in the first two registers, and at all
// pointers. Their own values are some kernel address.
func fetch(t *testing.T, a *dynevent.Arg, object []byte) []byte {
	if a.Base.Kind != dynevent.ArgN || len(a.Hops) > 1 || a.Count > 0 {
		t.Fatalf("cannot fetch %s", a)
	}
	off := 8 * (a.Base.N - 1)
	if len(a.Hops) == 1 {
		off = a.Hops[0].Offset
	} else if strings.Contains(t.Name(), "(p->") { // a guard
		return binary.LittleEndian.AppendUint64(nil, 0xffff888000000000)
	}
	word := binary.LittleEndian.Uint64(object[off:])
	if a.Type.Bits > 0 {
		word = word >> a.Type.Shift & (1<<a.Type.Bits - 1)
	}
	return binary.LittleEndian.AppendUint64(nil, word)[:a.Type.Size]
}

// TestRegistersDamaged: no value may continue after the last argument.
func TestRegistersDamaged(t *testing.T) {
	for _, text := range []string{"take_letters(t.c)", "take_across(t.b)"} {
		parsed, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		target := &target.Target{Kernel: btf.Open("../testdata/btf/corners.btf"), Arch: abi.Named("amd64")}
		plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, target)
		if err != nil {
			t.Fatal(err)
		}
		plans[0].Entry().Args = plans[0].Entry().Args[:1]
		saved, err := store.Save(plans)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Load(saved); !errors.Is(err, store.ErrSaved) {
			t.Errorf("%s: got %v, want ErrSaved", text, err)
		}
	}
}
