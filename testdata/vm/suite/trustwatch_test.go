//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTrustWatch edits a file of specs in all ways while known calls are made: no call
// of the spec that stays is missed, none is seen twice, and each edit is armed.
func TestTrustWatch(t *testing.T) { watchEdits(t, size(4, 40)) }

// TestVMWatchForms: the same with text that the kernel has printed, in JSON with sums,
// and as a tree.
func TestVMWatchForms(t *testing.T) {
	t.Run("text", func(t *testing.T) { watchEdits(t, 1, "--reader=text") })
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("json", func(t *testing.T) { watchEdits(t, 1, "--json", "--summary", "--comm", strings.TrimSpace(string(comm))) })
	t.Run("tree", func(t *testing.T) { watchEdits(t, 1, "--tree", "-k") })
}

// stays is the spec that is never changed, of calls with offsets from firstCall on, and
// edited the one that is: of calls with one offset.
const (
	firstCall = 1 << 40
	firstEdit = 1 << 41
	stays     = "generic_file_llseek(stays=offset) if offset >= 1099511627776 && offset < 2199023255552"
	edited    = "generic_file_llseek(edit=offset,\n\treturn)   # the %[1]d-th\n\tif offset == %[2]d\n"
)

// edits are ways to change a file.
var edits = []struct {
	name string
	do   func(file, text string) error
}{
	{"in place", func(file, text string) error {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			return err
		}
		return f.Truncate(int64(len(text)))
	}},
	{"renamed", func(file, text string) error {
		if err := os.WriteFile(file+"~", []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(file+"~", file)
	}},
	{"truncated", func(file, text string) error {
		if err := os.Truncate(file, 0); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
		return os.WriteFile(file, []byte(text), 0o644)
	}},
	{"made again", func(file, text string) error {
		if err := os.Remove(file); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
		return os.WriteFile(file, []byte(text), 0o644)
	}},
}

// A caller makes known calls: lseek(2) with offsets that count up.
type caller struct {
	fd   int
	over chan bool
	made chan int64
	edit atomic.Int64 // an offset that is also called for
}

func newCaller(t *testing.T) *caller {
	fd, err := unix.Open("/sys/kernel/uevent_seqnum", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{fd: fd, over: make(chan bool), made: make(chan int64)}
	go c.run()
	return c
}

func (c *caller) run() {
	for n := int64(0); ; {
		for range 20 {
			unix.Seek(c.fd, firstCall+n, unix.SEEK_SET)
			n++
		}
		unix.Seek(c.fd, c.edit.Load(), unix.SEEK_SET)
		select {
		case <-c.over:
			c.made <- n
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (c *caller) end() int64 {
	c.over <- true
	defer unix.Close(c.fd)
	return <-c.made
}

// watchEdits makes n edits, of the file or of one that it includes.
func watchEdits(t *testing.T, n int, flags ...string) {
	dir := t.TempDir()
	file, included := filepath.Join(dir, "specs.tsnoop"), filepath.Join(dir, "more.tsnoop")
	main := "# comment %d\n" + stays + "\ninclude more.tsnoop\n"
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(file, fmt.Appendf(nil, main, 0), 0o644))
	must(os.WriteFile(included, nil, 0o644))
	tr := startTrace(t, append(flags, "-b", "4M", "--reload", "-F", file)...)
	calls := newCaller(t)
	shown := newTail(t, tr.out)
	var slowest, later time.Duration
	for i := range n {
		how := edits[i%len(edits)]
		if i%4 == 3 { // a bad edit keeps what there was
			must(how.do(included, "generic_file_llseek(ofset)\n"))
			tr.await("the error", func() bool {
				return strings.Count(tr.said(), "more.tsnoop:1:21: generic_file_llseek has no parameter \"ofset\"\n") == i/4+1
			})
		}
		offset := firstEdit + int64(i-i%5) // the same again, now and then
		if i%7 == 6 {
			must(how.do(file, fmt.Sprintf(main, i)+"generic_file_llseek() if offset == 3\n"))
		}
		calls.edit.Store(offset)
		if i%5 == 0 {
			start := time.Now()
			must(how.do(included, fmt.Sprintf(edited, i, offset)))
			tr.await(fmt.Sprintf("edit %d, %s", i, how.name), func() bool { return shown.has(offset) })
			slowest = max(slowest, time.Since(start))
		} else {
			said := strings.Count(tr.said(), " gone")
			start := time.Now()
			must(how.do(included, fmt.Sprintf(edited, i, offset)+fmt.Sprintf("generic_file_llseek() if offset == %d\n", 4+i)))
			tr.await(fmt.Sprintf("edit %d, %s", i, how.name), func() bool { return strings.Count(tr.said(), " gone") > said })
			later = max(later, time.Since(start))
		}
	}
	made := calls.end()
	tr.end()
	missing, twice := shown.account(made)
	if missing > 0 || twice > 0 {
		t.Errorf("of %d calls %d were not shown, %d more than once\n%s", made, missing, twice, tr.said())
	}
	t.Log(tr.said())
	if said := tr.said(); strings.Contains(said, "another program") {
		t.Errorf("what tsnoop does itself is reported as if others did it:\n%s", said)
	}
	figure(t, "edits of a file of specs", n)
	figure(t, "calls meanwhile", int(made))
	figure(t, "calls missing", missing)
	figure(t, "calls shown twice", twice)
	figure(t, "slowest edit until its first call is shown, ms", int(slowest/time.Millisecond))
	figure(t, "slowest edit until it is reported, ms", int(later/time.Millisecond))
}

// A tail reads what tsnoop writes, and counts the calls.
type tail struct {
	t    *testing.T
	f    *os.File
	rest []byte
	n    map[int64]int // by offset
}

var shownOffset = regexp.MustCompile(`(?:stays|edit)(?:=|","type":"[a-z_ ]*","value":)(\d+)`)

func newTail(t *testing.T, file string) *tail {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &tail{t: t, f: f, n: map[int64]int{}}
}

func (s *tail) read() {
	text, err := io.ReadAll(s.f)
	if err != nil {
		s.t.Fatal(err)
	}
	s.rest = append(s.rest, text...)
	for {
		line, rest, ok := bytes.Cut(s.rest, []byte("\n"))
		if !ok {
			return
		}
		s.rest = rest
		if m := shownOffset.FindSubmatch(line); m != nil {
			offset, _ := strconv.ParseInt(string(m[1]), 10, 64)
			s.n[offset]++
		}
	}
}

// has reports whether a call with that offset was shown.
func (s *tail) has(offset int64) bool {
	s.read()
	return s.n[offset] > 0
}

// account returns how many of the first calls were not shown, and how many more often.
func (s *tail) account(made int64) (missing, twice int) {
	s.read()
	for i := range made {
		switch n := s.n[firstCall+i]; {
		case n == 0:
			missing++
		case n > 1:
			twice++
		}
	}
	return missing, twice
}
