package tracedat

import (
	"bytes"
	"errors"
	"testing"
)

// An instance beside the top-level buffer, as version 6 has it: an option with
// the offset of another table of CPUs.
func TestInstanceV6(t *testing.T) {
	b := load(t, "v6")
	top := open(t, b).Buffers[0]
	var moved int64
	for {
		e := (&Header{}).encoder()
		end := int64(len(b)) + moved
		e.u64(end)
		e.cString("inst")
		got := insertOption(t, b, optBuffer, string(e.b))
		if int64(len(got)) != end {
			moved = int64(len(got) - len(b))
			continue
		}
		b = got
		break
	}
	// Its table has a CPU without and one with a page, and another clock.
	e := (&Header{}).encoder()
	e.text(markRecord)
	page := bytes.Repeat([]byte("p"), 4096)
	e.u64(0)
	e.u64(0)
	e.u64(int64(len(b)) + 64)
	e.u64(4096)
	e.sized("local [mono]")
	b = append(append(b, append(e.b, make([]byte, 64-len(e.b))...)...), page...)

	f := open(t, b)
	if len(f.Buffers) != 2 || f.Buffers[0].Name != "" || f.Clock != "local" {
		t.Fatalf("buffers %+v", f.Buffers)
	}
	if f.Buffers[0].CPUs[1].Size != top.CPUs[1].Size {
		t.Errorf("top-level buffer %+v", f.Buffers[0])
	}
	inst := f.Buffers[1]
	if inst.Name != "inst" || inst.Clock != "mono" || inst.PageSize != 4096 || len(inst.CPUs) != 2 {
		t.Fatalf("instance %+v", inst)
	}
	if got, err := readAll(&inst.CPUs[1]); err != nil || !bytes.Equal(got, page) {
		t.Errorf("pages %.8q, %v", got, err)
	}
}

// An instance in version 7: another section of options at the end of the chain.
func TestInstanceV7(t *testing.T) {
	for _, name := range []string{"v7-none", "v7-zstd"} {
		b := withInstance(t, load(t, name))
		f := open(t, b)
		if len(f.Buffers) != 2 || f.Buffers[0].Name != "" {
			t.Fatalf("%s: buffers %+v", name, f.Buffers)
		}
		inst := f.Buffers[1]
		if inst.Name != "inst" || inst.Clock != "mono" || inst.PageSize != 8192 || len(inst.CPUs) != 1 || inst.CPUs[0].ID != 3 {
			t.Fatalf("%s: instance %+v", name, inst)
		}
		got, err := readAll(&inst.CPUs[0])
		if want := bytes.Repeat([]byte("page"), 2048); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: pages %.8q of %d bytes, %v", name, got, len(got), err)
		}
	}
}

// TestInstanceDamaged changes the option about an instance, or its section: what cannot be
// right is reported, and CPUs before it are there.
func TestInstanceDamaged(t *testing.T) {
	whole := withInstance(t, load(t, "v7-none"))
	option := bytes.LastIndex(whole, []byte("inst\x00mono\x00")) + len("inst\x00mono\x00")
	section := bytes.LastIndex(whole, bytes.Repeat([]byte("page"), 2048)) - sectionSize
	const page, count, id, offset, size = 0, 4, 8, 12, 20
	for _, tt := range []struct {
		at      int
		is      string
		damaged bool
		cpus    int // of the instance, -1 if there is none
	}{
		{option + page, "\x00\x20", false, 1},
		{option + page, "\x01", true, -1},
		{option + count, "\x00", false, 0},
		{option + count, "\x02", true, 1},
		{option + id, "\xff\x1f", false, 1},
		{option + id, "\x00\x20", true, -1},
		{option + id, "\x03\x00\x00\x80", true, -1},
		{option + offset, "\x00\x00\x00\x00\x00\x00\x00\x80", true, -1},
		{option + offset, "\x00\x00\x00\x00\x00\x00\x00\x10", true, -1},
		{option + size, "\x00\x00\x00\x00\x00\x00\x00\x80", true, -1},
		{option + size, "\x00\x00\x00\x00\x00\x00\x00\x10", true, -1},
		{section, "\x04", true, -1},
	} {
		b := bytes.Clone(whole)
		copy(b[tt.at:], tt.is)
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		cpus := -1
		if len(f.Buffers) == 2 {
			cpus = len(f.Buffers[1].CPUs)
		}
		if cpus != tt.cpus || (f.Damage != nil) != tt.damaged || f.Damage != nil && !errors.Is(f.Damage, ErrDamaged) {
			t.Errorf("%q at %d: %d CPUs, %v", tt.is, tt.at-option, cpus, f.Damage)
		}
	}
}

// withInstance adds an uncompressed instance to a version 7 file.
func withInstance(t *testing.T, b []byte) []byte {
	t.Helper()
	done := []byte{optDone, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	at := bytes.LastIndex(b, done)
	if at < 0 {
		t.Fatal("no end of the options")
	}
	e := (&Header{}).encoder()
	pages := int64(len(b))
	e.sectionHeader(optBuffer, false, 0, 8192)
	e.text(string(bytes.Repeat([]byte("page"), 2048)))
	options := pages + int64(len(e.b))
	body := (&Header{}).encoder()
	body.u64(pages)
	body.cString("inst")
	body.cString("mono")
	body.u32(8192)
	body.u32(1)
	body.u32(3)
	body.u64(pages + sectionSize)
	body.u64(8192)
	all := (&Header{}).encoder()
	all.option(optBuffer, string(body.b))
	all.option(optDone, string(make([]byte, 8)))
	e.section(optDone, 0, all.b, nil)
	putU64(&Header{}, b[at+6:], options)
	return append(b, e.b...)
}

// Two CPUs may not share bytes: reading many at once would take more memory
// than the file has bytes.
func TestOverlap(t *testing.T) {
	b := load(t, "v6")
	at := bytes.Index(b, []byte(markRecord)) + len(markRecord)
	copy(b[at+16:at+24], b[at:at+8])
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil || f.Damage == nil {
		t.Fatalf("got %v, damage %v", err, f.Damage)
	}
	if cpus := f.Buffers[0].CPUs; cpus[0].Size == 0 || cpus[1].Size != 0 {
		t.Errorf("CPUs %+v", cpus)
	}
}
