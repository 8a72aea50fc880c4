package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strconv"
)

// The data of the page is base64 of gzip of this: the length of meta in four bytes, meta, which is
// JSON, and the columns in the order of meta.Columns. Meta is filled up with spaces so that
// columns begin at multiples of eight bytes, and so is each column with zeros. Numbers are
// little-endian.

// Meta is all that is not a column of calls.
type meta struct {
	Columns   []column    `json:"columns"`
	Texts     []string    `json:"texts"`
	Functions [][2]uint32 `json:"functions"`
	Items     [][2]uint32 `json:"items"`
	Tasks     [][4]int64  `json:"tasks"` // trace, pid, tid, comm
	Stacks    [][]uint32  `json:"stacks"`
	Hosts     []hostLine  `json:"hosts"`
	Walls     bool        `json:"walls"` // the line shows the time of day
	Start     string      `json:"start"` // of the line, ns
	All       uint64      `json:"all"`   // calls, also those that are not listed
	Heat      heatMeta    `json:"heat"`
	Lost      [][3]int64  `json:"lost"` // when, CPU, events
}

// A column is "u32" or "i64" or "u64", n of them.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
	N    int    `json:"n"`
}

// A hostLine is what the calls of a trace share. To get times on the trace clock, Shift is
// subtracted from those of the line.
type hostLine struct {
	Host  string `json:"host"`
	File  string `json:"file"`
	Shift string `json:"shift"`
}

// A heatMeta is the heat map of all calls: cells of column, octave and calls.
type heatMeta struct {
	First int64       `json:"first"` // ns from the start of the line
	Width uint64      `json:"width"` // ns
	N     int         `json:"n"`
	Cells [][3]uint64 `json:"cells"`
}

func (h *heat) meta() heatMeta {
	m := heatMeta{First: h.first << h.shift, Width: 1 << h.shift, N: len(h.cells), Cells: [][3]uint64{}}
	for i := range h.cells {
		for j, n := range h.cells[i] {
			if n > 0 {
				m.Cells = append(m.Cells, [3]uint64{uint64(i), uint64(j), n})
			}
		}
	}
	return m
}

func (r *reporter) meta() *meta {
	c := &r.calls
	n := len(c.at)
	m := &meta{
		Columns: []column{{"at", "i64", n}, {"duration", "u64", n}, {"function", "u32", n}, {"task", "u32", n}, {"cpu", "u32", n}, {"endCPU", "u32", n},
			{"caller", "u32", n}, {"stack", "u32", n}, {"errno", "u32", n}, {"flags", "u32", n}, {"end", "u32", n}, {"parts", "u32", len(c.parts)}},
		Texts: c.texts.all, Functions: orEmpty(c.functions.all), Items: orEmpty(c.items.all), Tasks: [][4]int64{}, Stacks: [][]uint32{}, Hosts: []hostLine{},
		Walls: r.line.walls, Start: strconv.FormatInt(r.line.start, 10), All: r.all, Heat: r.heat.meta(), Lost: [][3]int64{},
	}
	for _, t := range c.tasks.all {
		m.Tasks = append(m.Tasks, [4]int64{int64(t.trace), int64(t.pid), int64(t.tid), int64(t.comm)})
	}
	for _, s := range c.stacks.all {
		frames := []uint32{}
		for b := range slices.Chunk([]byte(s), 4) {
			frames = append(frames, binary.LittleEndian.Uint32(b))
		}
		m.Stacks = append(m.Stacks, frames)
	}
	for _, t := range r.line.traces {
		m.Hosts = append(m.Hosts, hostLine{shown(t.Origin.Host), shown(t.Name), strconv.FormatInt(t.shift, 10)})
	}
	for _, l := range r.losses.marks {
		m.Lost = append(m.Lost, [3]int64{l.at, int64(l.cpu), int64(l.count)})
	}
	return m
}

func orEmpty[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// writePayload writes the data.
func (r *reporter) writePayload(to io.Writer) error {
	text := base64.NewEncoder(base64.StdEncoding, to)
	packed := gzip.NewWriter(text)
	head, err := json.Marshal(r.meta())
	if err != nil {
		return err
	}
	head = append(head, bytes.Repeat([]byte(" "), -(4+len(head))&7)...)
	if err := binary.Write(packed, binary.LittleEndian, uint32(len(head))); err != nil {
		return err
	}
	if _, err := packed.Write(head); err != nil {
		return err
	}
	c := &r.calls
	for _, numbers := range []any{c.at, c.duration, c.function, c.task, c.cpu, c.endCPU, c.caller, c.stack, c.errno, c.flags, c.end, c.parts} {
		if err := writeColumn(packed, numbers); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return text.Close()
}

// writeColumn writes numbers, in pieces so that no column is copied as a whole.
func writeColumn(to io.Writer, numbers any) error {
	const piece = 8 << 10
	var buf []byte
	switch n := numbers.(type) {
	case []uint64:
		for part := range slices.Chunk(n, piece) {
			buf = buf[:0]
			for _, x := range part {
				buf = binary.LittleEndian.AppendUint64(buf, x)
			}
			if _, err := to.Write(buf); err != nil {
				return err
			}
		}
	case []uint32:
		for part := range slices.Chunk(n, piece) {
			buf = buf[:0]
			for _, x := range part {
				buf = binary.LittleEndian.AppendUint32(buf, x)
			}
			if _, err := to.Write(buf); err != nil {
				return err
			}
		}
		if len(n)%2 > 0 {
			_, err := to.Write(make([]byte, 4))
			return err
		}
	}
	return nil
}
