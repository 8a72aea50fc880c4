package record

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestNamesLeft cuts a recording: the names of the addresses in its pages are on the disk
// with the pages, and Recover ignores a line that is not whole, and a hole.
func TestNamesLeft(t *testing.T) {
	const named = "ffffffff81001000 T ip_rcv\nffffffff81002000 T ip_output\n"
	const others = "ffffffff81100000 T vfs_read\nffffffff81200000 T vfs_write\n"
	name := filepath.Join(t.TempDir(), "t.dat")
	h, pages := readFixture(t)
	rec, err := New(name, Options{Sync: time.Hour}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.Kallsyms = nil
	if err := rec.Begin(h, symbols.Recorded(func() ([]byte, error) { return []byte(named + others), nil })); err != nil {
		t.Fatal(err)
	}
	page := pages[:pageSize:pageSize]
	binary.LittleEndian.PutUint64(page[pageSize-8:], 0xffffffff81001010)
	if err := rec.add(read.Page{CPU: 3, Data: page}, 1, 0); err != nil {
		t.Fatal(err)
	}
	rec.addOthers()
	rec.names.reader.Wait()
	rec.sync()
	left, err := os.ReadFile(name + ".sym")
	if err != nil || string(left) != named+others {
		t.Fatalf("the disk has %q, %v", left, err)
	}
	rec.Close(os.ErrDeadlineExceeded)
	left = append(left, "\x00\x00\x00\x00ffffffff81001800 T to"...)
	if err := os.WriteFile(name+".sym", left, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Recover(name, false, nil); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	file, err := tracedat.Open(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := file.Kallsyms(); err != nil || string(text) != named+others {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// TestNamesWanted reads symbols of modules only if an address may be of one.
func TestNamesWanted(t *testing.T) {
	rt := newRecorderTest(t, filepath.Join(t.TempDir(), "t.dat"))
	read := 0
	table := symbols.Recorded(func() ([]byte, error) { read++; return nil, nil })
	rt.rec.names = &names{table: table, used: symbols.NewUsed([]byte("ffffffff81001000 T ip_rcv\n"))}
	rt.rec.addOthers()
	rt.rec.names.reader.Wait()
	if rt.rec.names.all(); read > 0 {
		t.Error("they were read")
	}
	rt.rec.names.used = table.Used()
	rt.rec.addOthers()
	rt.rec.names.reader.Wait()
	if read != 1 {
		t.Errorf("they were read %d times", read)
	}
	rt.rec.Close(nil)
}
