package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/testdata/recordings"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/sys/unix"
)

// A victim does something with the files of a recording, in a process of its own whose
// system calls fail.
type victim struct {
	name string
	// do acts on dir/t.dat.
	do func(dir string) error
	// before makes what there is before it.
	before func(t *testing.T, dir string)
	// minimum is how many calls there are at least.
	minimum int
	// kills is set to try deaths at every third call that changes a file, also where not
	// all calls are tried: see full.
	kills bool
}

var victims = []victim{
	{"recover", func(dir string) error { _, err := Recover(filepath.Join(dir, "t.dat"), false, nil); return err }, leftBehind, 25, true},
	{"recover, compressed", func(dir string) error { _, err := Recover(filepath.Join(dir, "t.dat"), true, nil); return err }, leftBehind, 25, false},
	{"recover what is complete", func(dir string) error { _, err := Recover(filepath.Join(dir, "t.dat"), false, nil); return err }, alreadyMade, 15, false},
	{"record", recordFixture, olderFile, 25, true},
}

const faultCPUs = 3 // of the recordings here

// fill adds the pages of the fixture to three CPUs.
func fill(rec *Recorder, pages []byte) error {
	for cpu := range faultCPUs {
		for at := 0; at < len(pages); at += pageSize {
			if err := rec.add(read.Page{CPU: cpu, Data: pages[at : at+pageSize]}, 1, 0); err != nil {
				return err
			}
		}
	}
	rec.addOthers()
	rec.names.reader.Wait()
	rec.sync()
	return rec.flush()
}

// someSymbols are what FILE.sym gets.
func someSymbols() *symbols.Table {
	return symbols.Recorded(func() ([]byte, error) { return []byte("ffffffff81001000 T ip_rcv\n"), nil })
}

// recordFixture makes a whole recording.
func recordFixture(dir string) error {
	h, pages, err := recordings.Read()
	if err != nil {
		return err
	}
	rec, err := New(filepath.Join(dir, "t.dat"), Options{Sync: time.Second}, nil)
	if err != nil {
		return err
	}
	if err = rec.Begin(h, someSymbols()); err == nil {
		err = fill(rec, pages)
	}
	if err == nil {
		err = rec.save(h)
	}
	return rec.Close(err)
}

func olderFile(t *testing.T, dir string) {
	if err := os.WriteFile(filepath.Join(dir, "t.dat"), []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// leftBehind leaves what a killed recorder leaves, as a copy: a program that another test
// just starts holds the lock on the recorder's own head until it has closed what it inherited.
func leftBehind(t *testing.T, dir string) {
	own := t.TempDir()
	olderFile(t, own)
	h, pages := readFixture(t)
	rec, err := New(filepath.Join(own, "t.dat"), Options{Sync: time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Begin(h, someSymbols()); err != nil {
		t.Fatal(err)
	}
	if err := fill(rec, pages); err != nil {
		t.Fatal(err)
	}
	var kept *KeptError
	if err := rec.Close(unix.EIO); !errors.As(err, &kept) {
		t.Fatal(err)
	}
	copyDir(t, own, dir)
}

// alreadyMade leaves what a recorder leaves that was killed while it removed its files.
func alreadyMade(t *testing.T, dir string) {
	leftBehind(t, dir)
	keep := t.TempDir()
	copyDir(t, dir, keep)
	if _, err := Recover(filepath.Join(dir, "t.dat"), false, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t.dat.cpu1", "t.dat.head"} {
		if err := os.Rename(filepath.Join(keep, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestVictim is the process whose calls fail: see faults.
func TestVictim(t *testing.T) {
	which, err := strconv.Atoi(os.Getenv("TSNOOP_VICTIM"))
	if err != nil {
		t.Skip("TestRecoverFaults runs this")
	}
	if err := victims[which].do(os.Getenv("TSNOOP_VICTIM_DIR")); err != nil {
		fmt.Println("victim:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// faults runs victims under "load fault".
type faults struct {
	*testing.T
	load string
}

// run runs a victim in dir and returns what it printed, its calls, and the one that failed.
func (f *faults) run(which int, dir, how string, n int, errno string) (out string, calls []string, failed string, err error) {
	f.Helper()
	log := filepath.Join(f.TempDir(), "log")
	cmd := exec.Command(f.load, "fault", "-t", dir, log, strings.TrimSuffix(how, "+"), strconv.Itoa(n)+how[len(strings.TrimSuffix(how, "+")):], errno,
		os.Args[0], "-test.run=^TestVictim$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("TSNOOP_VICTIM=%d", which), "TSNOOP_VICTIM_DIR="+dir)
	b, err := cmd.CombinedOutput()
	lines, logErr := os.ReadFile(log)
	if logErr != nil {
		f.Fatalf("%v\n%s", logErr, b)
	}
	for line := range strings.Lines(string(lines)) {
		calls = append(calls, line)
		if strings.HasSuffix(line, " fault\n") && failed == "" {
			failed = strings.TrimSuffix(strings.ReplaceAll(line, dir, ""), " fault\n")
		}
	}
	return string(b), calls, failed, err
}

// whole reports whether dir has the whole recording: as FILE, or as what Recover makes it
// of.
func whole(t *testing.T, dir string, pages []byte) (file, parts bool) {
	t.Helper()
	parts = true
	for cpu := range faultCPUs {
		b, err := os.ReadFile(filepath.Join(dir, "t.dat.cpu"+strconv.Itoa(cpu)))
		parts = parts && err == nil && bytes.Equal(b, pages)
	}
	return holdsPages(filepath.Join(dir, "t.dat"), pages), parts && readableHead(dir)
}

func readableHead(dir string) bool {
	head, err := os.Open(filepath.Join(dir, "t.dat.head"))
	if err != nil {
		return false
	}
	defer head.Close()
	_, err = readHead(head)
	return err == nil
}

// holdsPages reports whether a recording is whole and has the pages for each CPU.
func holdsPages(name string, pages []byte) bool {
	var cpus []tracedat.CPUSource
	for cpu := range faultCPUs {
		cpus = append(cpus, tracedat.CPUSource{ID: cpu, Size: int64(len(pages)), Pages: bytes.NewReader(pages)})
	}
	return holds(name, cpus)
}

// leftPages returns how many of the pages each CPU's file has, and whether any has one.
func leftPages(dir string, pages []byte) (cpus []tracedat.CPUSource, some bool) {
	for cpu := range faultCPUs {
		b, _ := os.ReadFile(filepath.Join(dir, "t.dat.cpu"+strconv.Itoa(cpu)))
		n := 0
		for n+pageSize <= len(b) && bytes.Equal(b[n:n+pageSize], pages[n:n+pageSize]) {
			n += pageSize
		}
		some = some || n > 0
		cpus = append(cpus, tracedat.CPUSource{ID: cpu, Size: int64(n), Pages: bytes.NewReader(pages)})
	}
	return cpus, some
}

// holds reports whether a recording is whole and has these pages.
func holds(name string, cpus []tracedat.CPUSource) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	file, err := tracedat.Open(f, info.Size())
	if err != nil {
		return false
	}
	return contains(file, cpus) == nil
}

// TestRecoverFaults lets each system call of a recorder and of Recover that is about a file
// of the recording fail in turn, alone or with all after it, or kills the process there.
// The recording is whole at any time, as FILE or as the parts that Recover makes FILE of; an
// older FILE stays until then; and once the disk works again, Recover makes FILE, twice
// without harm. Without a fault, what a power cut must not take is on the disk at each step.
func TestRecoverFaults(t *testing.T) {
	f := &faults{T: t, load: filepath.Join(t.TempDir(), "load")}
	build := exec.Command("go", "build", "-o", f.load, "../../testdata/load")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for which, v := range victims {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			f := &faults{T: t, load: f.load}
			template := t.TempDir()
			v.before(t, template)
			all := f.calls(which, template)
			checkOrder(t, v.name, all)
			if len(all) < v.minimum {
				t.Fatalf("only %d calls: %q", len(all), all)
			}
			for _, how := range []struct{ word, errno string }{
				{"kill", "-"}, {"fail", "EIO"}, {"fail+", "EIO"}, {"fail+", "ENOSPC"}, {"fail", "EDQUOT"}, {"short", "-"},
			} {
				tried, left, told := 0, map[string]int{}, map[string]int{}
				for n, call := range all {
					chance := 2 / float64(len(all))
					if how.word == "kill" && v.kills && changes.MatchString(call) {
						chance = 1. / 3
					}
					if !full && rand.Float64() >= chance {
						continue
					}
					dir := t.TempDir()
					copyDir(t, template, dir)
					if what, said := f.one(which, dir, how.word, n+1, how.errno); what != "" { // else it has made fewer calls this time
						tried++
						left[what]++
						told[said]++
					}
				}
				t.Logf("%s %s | %s | %d | %v | %v", how.word, how.errno, v.name, tried, left, told)
			}
		})
	}
}

// full is set for all calls, by make trust; else a third of the deaths at calls that change a
// file are tried, of victims with kills, and a few of the rest.
var full = os.Getenv("TSNOOP_TRUST") == "full"

// changes matches calls that change a file.
var changes = regexp.MustCompile(`^\d+ (open|write|pwrite|copy|sync|rename|unlink|truncate|allocate) `)

// calls returns the calls that a victim makes.
func (f *faults) calls(which int, template string) (all []string) {
	f.Helper()
	dir := f.TempDir()
	copyDir(f.T, template, dir)
	out, lines, _, err := f.run(which, dir, "none", 0, "-")
	if err != nil {
		f.Fatalf("without a fault: %v\n%s", err, out)
	}
	return lines
}

// errnoTexts are what the errors say. A file of which stat(2) fails counts as one that exists.
var errnoTexts = regexp.MustCompile(`input/output error|no space left|disk quota exceeded|unexpected EOF|short write|file is cut off|file is damaged|t.dat.tmp is in the way`)

// one lets call n fail and returns what was left, "" if there are fewer calls, and what
// was reported.
func (f *faults) one(which int, dir, how string, n int, errno string) (left, reported string) {
	f.Helper()
	out, _, failed, err := f.run(which, dir, how, n, errno)
	if failed == "" {
		return "", ""
	}
	reported = cmp.Or(errnoTexts.FindString(out), "nothing")
	what := fmt.Sprintf("%s %s %s: %s", victims[which].name, how, errno, failed)
	_, pages := readFixture(f)
	file, parts := whole(f.T, dir, pages)
	recorded := true // the victim had a recording
	if victims[which].name == "record" && !file && !parts {
		recorded = false
	}
	switch {
	case how != "kill" && err == nil && !file:
		f.Errorf("%s: no error, and no file\n%s", what, out)
	case how != "kill" && err != nil && !errnoTexts.MatchString(out):
		f.Errorf("%s: it does not say why:\n%s", what, out)
	case recorded && !file && !parts:
		f.Errorf("%s: neither file nor parts are whole\n%s", what, out)
	}
	older, _ := os.ReadFile(filepath.Join(dir, "t.dat"))
	if !file && string(older) != "older" {
		f.Errorf("%s: the older file is gone, and there is no new one", what)
	}
	some, has := leftPages(dir, pages)
	has = has && readableHead(dir)
	for range 2 {
		_, err := Recover(filepath.Join(dir, "t.dat"), false, nil)
		var m *tracefs.HostError
		nothing := errors.As(err, &m) && strings.Contains(m.Msg, "nothing to recover")
		if recorded && err != nil && !(nothing && holdsPages(filepath.Join(dir, "t.dat"), pages)) {
			f.Errorf("%s: then Recover: %v", what, err)
		}
	}
	entries, _ := os.ReadDir(dir)
	if recorded && (!holdsPages(filepath.Join(dir, "t.dat"), pages) || len(entries) != 1) {
		f.Errorf("%s: then there are %v", what, entries)
	}
	switch {
	case !recorded && !has:
		return "nothing recorded", reported
	case !recorded && !holds(filepath.Join(dir, "t.dat"), some):
		f.Errorf("%s: Recover has lost pages, and there are %v", what, entries)
	case file && parts:
		return "file and parts", reported
	case file:
		return "file", reported
	case parts:
		return "parts", reported
	}
	return "the pages before it", reported
}
