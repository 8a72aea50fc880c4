// Package witness has a probe of its own that counts the fetches of other probes that fault. It
// is in a session of its own, which records nothing.
package witness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// ErrUnavailable is wrapped by the error of Open: faults are to be shown by other means.
var ErrUnavailable = errors.New("faults cannot be counted")

// A Witness is the probe while it is enabled.
type Witness struct {
	session *tracefs.Session
	place   target.Witness
	addr    uint64 // of the probe
}

// Open enables a witness, if plans need one, and writes its addresses into them. place returns where the
// kernel has what that needs. log may be nil.
func Open(fs *tracefs.FS, plans []*plan.Plan, place func() *target.Witness, log func(string, ...any)) (*Witness, error) {
	if !plan.Witnessed(plans) {
		return nil, nil
	}
	found, err := place(), error(nil)
	if found == nil {
		return nil, ErrUnavailable
	}
	w := &Witness{place: *found}
	where, err := w.open(fs, log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnavailable, err), w.Close())
	}
	plan.UseWitness(plans, where)
	return w, nil
}

// Close removes the probe. Those whose faults it counts must have been removed before.
func (w *Witness) Close() error {
	if w == nil || w.session == nil {
		return nil
	}
	return w.session.Close()
}

// The events of the session.
const (
	witnessEvent = "witness"
	trialEvent   = "trial"
)

// open enables the witness, which a trial has to find and to see counting.
func (w *Witness) open(fs *tracefs.FS, log func(string, ...any)) (at plan.Witness, err error) {
	arch := abi.Named("")
	if arch == nil {
		return at, errors.New("the architecture is unknown")
	}
	if w.session, err = fs.NewSession(tracefs.Options{BufferKB: 64, Log: log}); err != nil {
		return at, err
	}
	if err = w.define(offsets[arch.Name]); err != nil {
		return at, err
	}
	if err = w.session.SetFilter(witnessEvent, "common_type == 0"); err != nil { // no event has that
		return at, err
	}
	if err = w.session.Define(tracefs.KprobeEvents, w.trial(arch.Syscalls[0].Prefixes[0]+function)); err != nil {
		return at, err
	}
	if err = w.session.Enable(context.Background()); err != nil {
		return at, err
	}
	if at, err = w.try(); err != nil {
		return at, err
	}
	return at, w.session.Pause([]string{trialEvent}) // to remove it would take 100 ms
}

// offsets are where a witness may be: after the first instructions of a function. At the first
// one there would be ftrace, which has rules of its own about what is called while a probe is
// handled, and can be switched off alone (ftrace_enabled). On x86 it takes 5 bytes, perhaps
// after endbr64, and the kernel refuses an address within an instruction. On arm64 it takes two
// instructions, after one that pointer authentication may have.
var offsets = map[string][]uint64{"amd64": {5, 9}, "arm64": {12}}

// define defines the witness at the first of offsets that the kernel takes.
func (w *Witness) define(offsets []uint64) error {
	err := errors.New("no place is known for it")
	for _, off := range offsets {
		w.addr = w.place.Function + off
		err = w.session.Define(tracefs.KprobeEvents, fmt.Sprintf("p:%s/%s %s+%d", w.session.Group(), witnessEvent, target.WitnessFunction, off))
		if err == nil {
			return nil
		}
	}
	return err
}

// function is the system call that has the trial: it changes nothing, and programs seldom call it.
const function = "sched_get_priority_max"

// bad is an address that no kernel has memory at: that of an error pointer. A read of it faults.
const bad = 0xffff_ffff_ffff_f008

// trial returns the definition of the trial. It finds the witness as the latest probe of its
// bucket of kprobe_table, or the latest of the list that it has if it was made faster, or if
// others are at the same address.
func (w *Witness) trial(symbol string) string {
	p := &w.place
	bucket := p.Table + 8*(w.addr*hashFactor>>hashShift)
	list := fmt.Sprintf("+%d(@0x%x)", p.List, bucket) // address of the member list of the witness
	at := func(member int64) string { return fmt.Sprintf("%+d(%s)", member-p.List, list) }
	words := []string{
		fmt.Sprintf("p:%s/%s", w.session.Group(), trialEvent), symbol, "list=" + list + ":x64",
		"addr=" + at(p.Addr) + ":x64", "flags=" + at(p.Flags) + ":x32",
		fmt.Sprintf("id=%+d(%s):x32", p.ID, at(p.Event)),
		"before=" + at(p.Misses) + ":x64", fmt.Sprintf(`bad=+0(\0x%x):x64`, uint64(bad)), "after=" + at(p.Misses) + ":x64",
	}
	return strings.Join(words, " ")
}

// See counter.go of fetchargs/readcheck.
const (
	hashShift  = 58
	hashFactor = 0x61c8864680b583eb
)

// try makes the calls that have the trial. Other tasks may make some as well, and their fetches
// may fault meanwhile, so one of several has to succeed.
func (w *Witness) try() (at plan.Witness, err error) {
	id, err := os.ReadFile(w.session.Path("events/" + w.session.Group() + "/" + witnessEvent + "/id"))
	if err != nil {
		return at, err
	}
	for range 5 {
		unix.RawSyscall(unix.SYS_SCHED_GET_PRIORITY_MAX, 1, 0, 0) // SCHED_FIFO
	}
	text, err := os.ReadFile(w.session.Path("trace"))
	if err != nil {
		return at, err
	}
	number, err := strconv.ParseUint(strings.TrimSpace(string(id)), 10, 64)
	if err != nil {
		return at, err
	}
	for line := range strings.Lines(string(text)) {
		if t, ok := parseTrial(line); ok && t.proves(w.addr, number) {
			return plan.Witness{Kprobe: t["list"] - uint64(w.place.List), Addr: w.addr, Start: kernelStart(t["list"])}, nil
		}
	}
	return at, errors.New("the probe does not count")
}

// A trial has the values of an event of the trial.
type trial map[string]uint64

// parseTrial parses a line of the file trace. The name of the task, which comes first, has 15
// characters at most.
func parseTrial(line string) (trial, bool) {
	_, values, ok := cutLast(line, ": "+trialEvent+": (")
	if !ok {
		return nil, false
	}
	t := trial{}
	for _, word := range strings.Fields(values) {
		if name, value, ok := strings.Cut(word, "="); ok {
			n, err := strconv.ParseUint(value, 0, 64)
			if err != nil {
				return nil, false
			}
			t[name] = n
		}
	}
	return t, len(t) == 7
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// proves reports whether the trial has found the probe at addr whose event has a number, not
// somebody else's at the same address, and its count has risen with the fault.
func (t trial) proves(addr, id uint64) bool {
	return t["addr"] == addr && t["flags"] == 0 && t["id"] == id && t["after"] == t["before"]+1
}

// kernelStart returns where the kernel's memory begins, of which the address of a struct is
// part. On x86 addresses before it are not canonical: the direct mapping, which has the struct,
// begins at 0xff11000000000000 with page tables of 5 levels, and after 0xffff800000000000 with
// 4 (Documentation/arch/x86/x86_64/mm.rst).
func kernelStart(addr uint64) uint64 {
	const levels4, levels5 = 0xffff_8000_0000_0000, 0xff00_0000_0000_0000
	if addr >= levels4 {
		return levels4
	}
	return levels5
}
