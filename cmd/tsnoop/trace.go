package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

var order = binary.NativeEndian

// A trace is an armed session with all that is needed to understand its events.
type trace struct {
	session *tracefs.Session
	plans   []*fetchargs.Plan
	ui      *ui
	start   uint64 // ns on the trace clock
	clock   int32  // the trace clock's number for clock_gettime

	formats []*tracefs.Format
	decoder map[*fetchargs.Probe]*fetchargs.Decoder
	format  map[*fetchargs.Probe]*tracefs.Format
	symbols func() *proc.Symbols
}

func openTracefs(o *options) (*tracefs.FS, error) {
	if o.tracefs != "" {
		return tracefs.At(o.tracefs)
	}
	return tracefs.Find()
}

// learnFormats reads how the kernel lays out the records.
func (t *trace) learnFormats() error {
	t.decoder = map[*fetchargs.Probe]*fetchargs.Decoder{}
	t.format = map[*fetchargs.Probe]*tracefs.Format{}
	mapped := t.mapped()
	for _, p := range fetchargs.Probes(t.plans) {
		f, err := t.session.Format(p.Event)
		if err != nil {
			return err
		}
		slots := make([]fetchargs.Slot, len(p.Args))
		for i, a := range p.Args {
			field := fieldNamed(f, a.Name)
			if field == nil {
				return fmt.Errorf("%s: the kernel's format has no field %s", p.Event, a.Name)
			}
			slots[i] = fetchargs.Slot{Offset: field.Offset, Size: field.Size, DataLoc: field.DataLoc}
		}
		if p.Return { // the kernel itself records where it returns to
			if ip := fieldNamed(f, "__probe_ret_ip"); ip != nil {
				p.Caller = len(slots)
				slots = append(slots, fetchargs.Slot{Offset: ip.Offset, Size: ip.Size})
			}
		}
		t.formats = append(t.formats, f)
		t.format[p] = f
		t.decoder[p] = fetchargs.NewDecoder(p, slots, order, mapped)
	}
	return nil
}

func fieldNamed(f *tracefs.Format, name string) *tracefs.FormatField {
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return &f.Fields[i]
		}
	}
	return nil
}

// mapped tells which kernel addresses can be read at all, nil if not known.
func (t *trace) mapped() func(uint64) bool {
	guarded := false
	for _, p := range fetchargs.Probes(t.plans) {
		for _, f := range p.Fields {
			guarded = guarded || len(f.Guards) > 0
		}
	}
	if !guarded {
		return nil
	}
	ranges, err := proc.LoadRanges()
	if err != nil {
		t.ui.detail("%v: wild pointers are told from good ones by their upper bits only", err)
		return nil
	}
	return ranges.Contains
}

func (t *trace) loadSymbols() *proc.Symbols {
	s, err := proc.LoadSymbols()
	if err != nil {
		t.ui.warn("functions are shown as numbers: %v", err)
	}
	return s
}

// symbol names what is at a kernel address.
func (t *trace) symbol(addr uint64) (name, module string, off uint64, ok bool) {
	if s := t.symbols(); s != nil {
		return s.Name(addr)
	}
	return "", "", 0, false
}

func (t *trace) address(symbol string) (uint64, bool) {
	if s := t.symbols(); s != nil {
		return s.Addr(symbol)
	}
	return 0, false
}

// read yields the events of the trace.
func (t *trace) read(ctx context.Context, o *options) iter.Seq2[*tracefs.Event, error] {
	if o.reader == "text" {
		return t.session.ReadText(ctx, tracefs.TextOptions{Formats: t.formats, Addr: t.address, Order: order})
	}
	return t.session.ReadRaw(ctx, tracefs.RawOptions{Formats: t.formats, Damaged: t.damaged}, t.now)
}

// damaged says that the kernel's buffer makes no sense.
func (t *trace) damaged(cpu int, err error) {
	t.ui.warn("the ring buffer of CPU %d cannot be understood: %v", cpu, err)
}

// sides tells the pairer which event is which.
func (t *trace) sides() map[int]calls.Side {
	sides := map[int]calls.Side{}
	for i, plan := range t.plans {
		for _, p := range []*fetchargs.Probe{plan.Entry, plan.Return} {
			if p == nil {
				continue
			}
			s := calls.Side{Plan: i, Return: p.Return, Paired: plan.Entry != nil && plan.Return != nil, Stack: -1}
			other := plan.Return
			if p.Return {
				other = plan.Entry
			}
			s.Filtered = other != nil && other.Filter != ""
			if p.Stack >= 0 {
				s.Stack = fieldNamed(t.format[p], p.Args[p.Stack].Name).Offset
			}
			sides[t.format[p].ID] = s
		}
	}
	return sides
}

// sources tells the printer how to read the events of each plan.
func (t *trace) sources() []render.Source {
	sources := make([]render.Source, len(t.plans))
	for i, p := range t.plans {
		sources[i] = render.Source{Plan: p, Entry: t.decoder[p.Entry], Return: t.decoder[p.Return]}
	}
	return sources
}

// matches decides the conditions that the kernel could not.
func (t *trace) matches(c *calls.Call) bool {
	plan := t.plans[c.Plan]
	var entry, exit []byte
	if c.Entry != nil {
		entry = c.Entry.Data
	}
	if c.Return != nil {
		exit = c.Return.Data
	}
	return plan.Match(t.decoder[plan.Entry], t.decoder[plan.Return], entry, exit)
}

// now is the time on the trace clock in ns.
func (t *trace) now() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(t.clock, &ts); err != nil {
		return 0
	}
	return uint64(ts.Nano())
}

// wallClock is what to add to the trace clock to get the time since 1970, ns.
func (t *trace) wallClock() int64 { return time.Now().UnixNano() - int64(t.now()) }

// threads are the threads of the processes; those that are gone are an error.
func threads(pids []int) ([]int, error) {
	var tids []int
	for _, pid := range pids {
		ids, err := proc.Threads(pid)
		if errors.Is(err, os.ErrNotExist) {
			return nil, &tracefs.MachineError{Msg: fmt.Sprintf("there is no process %d", pid)}
		} else if err != nil {
			return nil, err
		}
		tids = append(tids, ids...)
	}
	return tids, nil
}

// nonce is unguessable, so that no traced program can print something that
// looks like an event.
func nonce() string {
	return strings.ToLower(rand.Text()[:6])
}

// onSignal is done at the first SIGINT, SIGTERM or SIGHUP. A second one does
// not wait for what is still in the buffers.
func onSignal() (context.Context, func()) {
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}
