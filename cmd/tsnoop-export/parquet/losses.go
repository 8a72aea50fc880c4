package parquet

import (
	"bytes"
	"cmp"
	"encoding/json"

	pq "github.com/parquet-go/parquet-go"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A loss is a row of losses.parquet: something that the calls do not show.
type loss struct {
	Host   *string `parquet:"host,optional,dict" json:"-"`
	BootID *string `parquet:"boot_id,optional,dict" json:"-"`
	File   string  `parquet:"file,dict" json:"-"`

	Kind    string  `parquet:"kind,dict" json:"kind"` // the member that JSON has
	Func    *string `parquet:"func,optional,dict" json:"func,omitempty"`
	TS      *int64  `parquet:"ts_ns,optional" json:"ts_ns,omitempty"`
	CPU     *int32  `parquet:"cpu,optional" json:"cpu,omitempty"`
	Count   *uint64 `parquet:"count,optional" json:"count,omitempty"` // null if it was not counted
	AtMost  bool    `parquet:"at_most" json:"at_most,omitempty"`
	Earlier bool    `parquet:"earlier" json:"earlier,omitempty"`
	Text    *string `parquet:"text,optional" json:"text,omitempty"`
}

// losses are those of all traces.
type losses struct {
	all   []loss
	trace []*call.Trace
	last  map[lossKey]int
}

type lossKey struct {
	trace    *call.Trace
	kind, fn string
}

// mostLosses is how many are kept. Further ones of a kind are added to the last one.
const mostLosses = 20_000

var lossKinds = map[call.LossKind]string{
	call.LostHere: "lost", call.LostTotal: "lost_total", call.MissedCalls: "missed_calls", call.MissedReturns: "missed_returns",
	call.UnfinishedCalls: "unfinished_calls", call.EarlierCalls: "unfinished_calls", call.SwitchedOff: "switched_off", call.Interfered: "interference",
}

func some[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func (all *losses) add(l *call.Loss) {
	row := loss{Kind: lossKinds[l.Kind], Func: some(string(valid([]byte(l.Func)))), AtMost: l.AtMost, Earlier: l.Kind == call.EarlierCalls}
	if l.Known {
		n := l.Count
		row.Count = &n
	}
	if l.Kind == call.LostHere {
		cpu := int32(l.CPU)
		row.CPU = &cpu
	}
	row.TS = some(int64(l.Time))
	switch {
	case l.SwitchedOff != nil:
		row.Text = some(string(valid([]byte(l.SwitchedOff.Spec))))
	case l.Interference != nil:
		row.interference(l.Interference)
	}
	all.keep(l.Trace, row)
}

func (row *loss) interference(i *tracefs.Interference) {
	row.Text = some(string(valid([]byte(i.Text))))
	if c := i.Cost; c.Exact || c.AtMost {
		row.Count, row.AtMost = &c.Events, c.AtMost
	}
}

// keep adds a row. If there are too many, its count is added to the last one of its kind, or
// else to one that stands for all functions.
func (all *losses) keep(t *call.Trace, row loss) {
	key := lossKey{t, row.Kind, ""}
	if row.Func != nil {
		key.fn = *row.Func
	}
	if len(all.all) >= mostLosses {
		if _, ok := all.last[key]; !ok {
			key.fn, row.Func = "", nil
		}
		if i, ok := all.last[key]; ok {
			if old := &all.all[i]; old.Count != nil && row.Count != nil {
				*old.Count += *row.Count
			}
			return
		}
	}
	if all.last == nil {
		all.last = map[lossKey]int{}
	}
	all.last[key] = len(all.all)
	all.all, all.trace = append(all.all, row), append(all.trace, t)
}

// damaged notes that a part of the input could not be read.
func (all *losses) damaged(err error) {
	all.keep(nil, loss{Kind: "damaged", Text: some(string(valid([]byte(err.Error()))))})
}

// of returns those of a trace, as JSON.
func (all *losses) of(t *call.Trace) []byte {
	rows := []loss{}
	for i := range all.all {
		if all.trace[i] == t {
			rows = append(rows, all.all[i])
		}
	}
	return marshal(rows)
}

// write writes losses.parquet.
func (all *losses) write(dir *directory) error {
	f, err := dir.open("losses.parquet")
	if err != nil {
		return err
	}
	for i, t := range all.trace {
		if t != nil {
			row := &all.all[i]
			row.Host, row.BootID, row.File = some(string(valid([]byte(t.Origin.Host)))), some(string(valid([]byte(t.Origin.BootID)))), string(valid([]byte(t.Name)))
		}
	}
	w := pq.NewGenericWriter[loss](f, options(pq.SchemaOf(loss{}))...)
	_, err = w.Write(all.all)
	return cmp.Or(err, w.Close(), f.Close())
}

// metadata returns what a file says of its trace, with its end and losses unless these are
// not known yet.
func metadata(t *call.Trace, l *losses) (all []pair) {
	o := t.Origin
	add := func(name string, v any) {
		text, isText := v.(string)
		if !isText {
			text = string(marshal(v))
		}
		if text != "" && text != "null" {
			all = append(all, pair{[]byte("tsnoop." + name), valid([]byte(text))})
		}
	}
	for _, m := range []struct {
		name  string
		value any
	}{
		{"file", t.Name}, {"host", o.Host}, {"machine_id", o.MachineID}, {"boot_id", o.BootID}, {"kernel", o.Kernel}, {"arch", o.Arch},
		{"recorder", o.Recorder}, {"specs", o.Specs}, {"clock", o.Clock}, {"began", moment(o.Began)},
	} {
		add(m.name, m.value)
	}
	if l != nil {
		add("ended", moment(o.Ended))
		all = append(all, pair{[]byte("tsnoop.losses"), l.of(t)})
	}
	return all
}

// A jsonMoment is one as JSON has it.
type jsonMoment struct {
	Wall     int64  `json:"wall_ns"`
	TS       uint64 `json:"ts_ns"`
	MaxError *int64 `json:"max_error_ns"`
	Synced   bool   `json:"synchronized"`
}

func moment(m *tracefs.Moment) *jsonMoment {
	if m == nil {
		return nil
	}
	return &jsonMoment{m.Wall, m.Trace, m.MaxError, m.Synced}
}

// marshal returns the JSON of v, with its < and > as they are.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // nothing that is marshaled here has such a value
	}
	return bytes.TrimSpace(b.Bytes())
}
