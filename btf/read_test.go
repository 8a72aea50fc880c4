package btf_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
)

// TestEndless: of a file that is neither BTF nor ELF only the beginning is read.
func TestEndless(t *testing.T) {
	for question, ask := range questions {
		if err := ask(btf.Open("/dev/zero")); !errors.Is(err, btf.ErrNoBTF) || !strings.Contains(err.Error(), "neither BTF nor ELF") {
			t.Errorf("%s of /dev/zero: %v, want %v", question, err, btf.ErrNoBTF)
		}
	}
	k := btf.Open(sampleFile, "/dev/zero")
	if err := k.CheckModules(); !errors.Is(err, btf.ErrNoBTF) {
		t.Errorf("/dev/zero as a module: %v, want %v", err, btf.ErrNoBTF)
	}
}

// TestPipe: BTF that another program writes need not be in a regular file.
func TestPipe(t *testing.T) {
	raw, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		w.Write(raw)
		w.Close()
	}()
	mustType(t, btf.Open(fmt.Sprintf("/dev/fd/%d", r.Fd())), "struct pkt")
}

// TestTruncated: what another program does to a file that was read changes nothing. Types
// of a kernel are looked up long after its file was opened.
func TestTruncated(t *testing.T) {
	raw, err := os.ReadFile("../testdata/btf/linux-6.12-amd64.btf")
	if err != nil {
		t.Fatal(err)
	}
	// Larger, so that types are cut out of it when they are asked for.
	raw = append(raw, make([]byte, 1<<20)...)
	length := raw[20:24] // of the strings, which are last
	binary.LittleEndian.PutUint32(length, binary.LittleEndian.Uint32(length)+1<<20)
	file := writeFile(t, "linux.btf", raw)
	k := btf.Open(file)
	mustType(t, k, "struct sk_buff")
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	mustType(t, k, "struct file")
}
