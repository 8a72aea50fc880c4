package btf_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/testdata/badinput"
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

// TestMuchBTF: a file without end, or one that is larger than any kernel's types, is refused
// at a bound, and its size is not believed.
func TestMuchBTF(t *testing.T) {
	raw, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, head := range map[string][]byte{"BTF": raw[:24], "BTF and more": raw, "ELF": elfFile(t, ".text", nil)} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer w.Close()
			w.Write(head)
			for zeros := make([]byte, 1<<16); err == nil; {
				_, err = w.Write(zeros)
			}
		}()
		const most = 64 << 20
		badinput.Check(t, most, func() {
			_, err := btf.Open(fmt.Sprintf("/dev/fd/%d", r.Fd())).Type("struct pkt")
			if err == nil || !strings.Contains(err.Error(), "has more than 64 MiB: write it to a regular file first") {
				t.Errorf("%s without end: %v", name, err)
			}
		})
		r.Close()
	}
	sparse := writeFile(t, "sparse.btf", raw)
	if err := os.Truncate(sparse, 300<<20); err != nil {
		t.Fatal(err)
	}
	badinput.Check(t, 0, func() {
		if _, err := btf.Open(sparse).Type("struct pkt"); err == nil || !strings.Contains(err.Error(), "has more than 256 MiB") {
			t.Errorf("a large file: %v", err)
		}
	})
}

// TestPipeMemory: the room for the most that is read of a pipe takes no memory until it is used,
// in a process whose memory is new.
func TestPipeMemory(t *testing.T) {
	const alone = "TSNOOP_ALONE"
	if os.Getenv(alone) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPipeMemory$")
		cmd.Env = append(os.Environ(), alone+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
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
	before := resident(t)
	k := btf.Open(fmt.Sprintf("/dev/fd/%d", r.Fd()))
	mustType(t, k, "struct pkt")
	if more := resident(t) - before; more > 16<<20 {
		t.Errorf("%d KiB more are resident for %d KiB of types", more>>10, len(raw)>>10)
	}
}

// resident returns how many bytes of memory this process has.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
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
