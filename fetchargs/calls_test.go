package fetchargs_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// writeCalls writes what the plans of a spec make of each call of the golden file.
func (c *golden) writeCalls(w *bytes.Buffer, plans []*plan.Plan) {
	if names := plan.Undecided(plans); names != nil {
		fmt.Fprintf(w, "undecided: %s\n", strings.Join(names, " "))
	}
	for _, p := range plans {
		fmt.Fprintf(w, "%s: decides %t, holds back %t, paired %t, syscall %t, execs %t\n", p.Func.Name, p.Decides(), p.HoldsBack(), p.Paired(), p.IsSyscall(), p.Execs())
		for _, probe := range plan.Probes([]*plan.Plan{p}) {
			fmt.Fprintf(w, "%s:", probe.Event)
			for i := range probe.Args {
				if field := probe.TextField(i); field >= 0 {
					fmt.Fprintf(w, " %d bytes of %s", probe.Limit(i), probe.Fields[field].Label)
				}
			}
			w.WriteByte('\n')
		}
		for _, other := range plans {
			if p.StartsClockOf(other) {
				fmt.Fprintf(w, "starts a clock of %s\n", other.Func.Name)
			}
		}
		for _, call := range c.calls {
			fmt.Fprintf(w, "%s:", call[0])
			c.writeCall(w, p, parsedCall(call[1:]))
			w.WriteByte('\n')
		}
	}
}

// parsedCall returns the values of a call by the names of the fetchargs that hold them.
func parsedCall(words []string) map[string]string {
	values := map[string]string{}
	for _, word := range words {
		name, is, _ := strings.Cut(word, "=")
		values[name] = is
	}
	return values
}

func (c *golden) writeCall(w *bytes.Buffer, p *plan.Plan, call map[string]string) {
	var decoders []*value.Decoder
	var records [][]byte
	for _, probe := range p.Probes {
		slots, record := c.record(probe, call)
		if _, unseen := call["no-"+probe.Side.String()]; unseen {
			record = nil
		}
		decoders = append(decoders, probe.Decoder(slots, binary.LittleEndian, nil))
		records = append(records, record)
		if probe.Side == dynevent.Return && record != nil {
			v := plan.NewReturnErrno(probe, decoders[len(decoders)-1], binary.LittleEndian)
			if errno := v.Errno(record); errno != 0 {
				fmt.Fprintf(w, " errno %d", errno)
			}
		}
	}
	took, ended := call["duration"]
	duration, _ := strconv.ParseUint(took, 10, 64)
	if p.Match(decoders, records, duration, ended) {
		w.WriteString(" shown")
	}
	held := make([]uint64, len(p.Conditions()))
	p.CountHeld(held, decoders, records, duration, ended)
	fmt.Fprintf(w, " %d", held)
	for i := range p.Clocks {
		if records[0] == nil {
			break
		}
		clock, entry := &p.Clocks[i], p.Entry()
		key, ok := clock.Key(decoders[0], records[0])
		fmt.Fprintf(w, " clock %x %t", key, ok)
		if p.Starts == "" {
			fmt.Fprintf(w, " who %t in head %t", clock.Who(entry), clock.InHead(entry))
		}
		if clock.Starts(entry, decoders[0], records[0]) {
			w.WriteString(" starts")
		}
		if clock.Ends(entry, decoders[0], records[0]) {
			w.WriteString(" ends")
		}
	}
}

// record returns a record of a probe and its layout. Numbers that a call does not have are
// 0, and addresses are those of kernel memory.
func (c *golden) record(p *plan.Probe, call map[string]string) (slots []value.Slot, record []byte) {
	var text []byte
	at := map[string]value.Slot{}
	fields := c.fieldsOf(p)
	for _, f := range fields {
		at[f.Name] = value.Slot{Offset: len(record), Size: f.Size, DataLoc: f.IsDynamic()}
		record = append(record, make([]byte, f.Size)...)
	}
	for _, f := range fields {
		to := record[at[f.Name].Offset:][:f.Size]
		is, given := call[strings.TrimSuffix(f.Name, "_"+c.target.Nonce)]
		from := []byte(is)
		switch n, err := strconv.ParseInt(is, 0, 64); {
		case f.IsDynamic():
			from = binary.LittleEndian.AppendUint32(nil, uint32(len(is)+1)<<16|uint32(len(record)+len(text)))
			text = append(text, is+"\x00"...)
		case err == nil:
			from = binary.LittleEndian.AppendUint64(nil, uint64(n))
		case !given && f.Type == "x64":
			from = binary.LittleEndian.AppendUint64(nil, 0xffff888000001000)
		}
		copy(to, from)
	}
	at["__probe_ret_ip"] = value.Slot{Size: 8} // of all probes, but only a return has it
	slots, err := p.Slots(func(name string) (value.Slot, bool) {
		s, ok := at[name]
		return s, ok
	})
	if err != nil || (p.Caller == len(p.Args)) != (p.Side == dynevent.Return) {
		c.t.Fatalf("the caller of %s is arg %d, %v", p.Event, p.Caller, err)
	}
	return slots, append(record, text...)
}

// fieldsOf returns the fields of a probe's event.
func (c *golden) fieldsOf(p *plan.Probe) (fields []tracepoint.Field) {
	if !p.Kind.Defined() {
		system, name, _ := strings.Cut(p.Existing(), "/")
		event, err := c.target.Tracepoints.Event(system, name)
		if err != nil {
			c.t.Fatal(err)
		}
		return append([]tracepoint.Field{{Name: "common_type", Size: 2}, {Name: "common_flags", Size: 1}, {Name: "common_preempt_count", Size: 1}, {Name: "common_pid", Size: 4}}, event.Fields...)
	}
	for i := range p.Args {
		f := tracepoint.Field{Name: p.Args[i].Name, Type: p.Args[i].Type.Name, Size: p.Args[i].Size()}
		if p.Args[i].IsString() {
			f.Type = "__data_loc char[]"
		}
		fields = append(fields, f)
	}
	return fields
}
