package fetchargs_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// writeCalls writes what the plans of a spec make of each call of the golden file.
func (c *golden) writeCalls(w *bytes.Buffer, plans []*plan.Plan) {
	for _, p := range plans {
		fmt.Fprintf(w, "%s: decides %t, holds back %t, paired %t\n", p.Func.Name, p.Decides(), p.HoldsBack(), p.Paired())
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
			v := plan.NewVerdict(probe, decoders[len(decoders)-1], binary.LittleEndian)
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
	p.Held(held, decoders, records, duration, ended)
	fmt.Fprintf(w, " %d", held)
	for i := range p.Clocks {
		if records[0] == nil {
			break
		}
		clock, entry := &p.Clocks[i], p.Entry()
		key, ok := clock.Key(decoders[0], records[0])
		fmt.Fprintf(w, " clock %x %t who %t", key, ok, p.Starts == "" && clock.Who(entry))
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
	size := 0
	for i := range p.Args {
		size += p.Args[i].Size()
	}
	record = make([]byte, size)
	at := 0
	slots, err := p.Slots(func(name string) (value.Slot, bool) {
		for i := range p.Args {
			if a := &p.Args[i]; a.Name == name {
				s := value.Slot{Offset: at, Size: a.Size(), DataLoc: a.IsString()}
				at += s.Size
				word := make([]byte, 8)
				text, given := call[strings.TrimSuffix(name, "_"+c.target.Nonce)]
				switch n, err := strconv.ParseInt(text, 0, 64); {
				case a.IsString():
					binary.LittleEndian.PutUint32(word, uint32(len(text)+1)<<16|uint32(len(record)))
					record = append(record, text+"\x00"...)
				case err == nil:
					binary.LittleEndian.PutUint64(word, uint64(n))
				case given:
					copy(record[s.Offset:s.Offset+s.Size], text)
					return s, true
				case a.Type.Name == "x64":
					binary.LittleEndian.PutUint64(word, 0xffff888000001000)
				}
				copy(record[s.Offset:s.Offset+s.Size], word)
				return s, true
			}
		}
		return value.Slot{}, false
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return slots, record
}
