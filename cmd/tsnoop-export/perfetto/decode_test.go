package perfetto_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// A field is what protos/perfetto/trace publishes of a field. Those that are not here are not
// written.
type field struct {
	name string
	kind string            // "number", "text", an enum, or a message
	enum map[uint64]string // of numbers that have names
}

var (
	clockNames = map[uint64]string{1: "REALTIME", 3: "MONOTONIC", 5: "MONOTONIC_RAW", 6: "BOOTTIME"}
	eventTypes = map[uint64]string{1: "TYPE_SLICE_BEGIN", 2: "TYPE_SLICE_END", 3: "TYPE_INSTANT", 4: "TYPE_COUNTER"}
)

// messages are the published messages by name, with their fields by number.
var messages = map[string]map[protowire.Number]field{
	"Trace": {1: {"packet", "TracePacket", nil}},
	"TracePacket": {6: {"clock_snapshot", "ClockSnapshot", nil}, 8: {"timestamp", "number", nil}, 10: {"trusted_packet_sequence_id", "number", nil}, 11: {"track_event", "TrackEvent", nil},
		13: {"sequence_flags", "number", map[uint64]string{1: "SEQ_INCREMENTAL_STATE_CLEARED"}}, 58: {"timestamp_clock_id", "number", clockNames}, 60: {"track_descriptor", "TrackDescriptor", nil}},
	"ClockSnapshot":     {1: {"clocks", "Clock", nil}},
	"Clock":             {1: {"clock_id", "number", clockNames}, 2: {"timestamp", "number", nil}},
	"TrackDescriptor":   {1: {"uuid", "track", nil}, 2: {"name", "text", nil}, 3: {"process", "ProcessDescriptor", nil}, 4: {"thread", "ThreadDescriptor", nil}, 5: {"parent_uuid", "track", nil}, 8: {"counter", "CounterDescriptor", nil}},
	"ProcessDescriptor": {1: {"pid", "number", nil}, 6: {"process_name", "text", nil}},
	"ThreadDescriptor":  {1: {"pid", "number", nil}, 2: {"tid", "number", nil}, 5: {"thread_name", "text", nil}},
	"CounterDescriptor": {3: {"unit", "number", map[uint64]string{2: "UNIT_COUNT"}}},
	"TrackEvent":        {4: {"debug_annotations", "DebugAnnotation", nil}, 9: {"type", "number", eventTypes}, 11: {"track_uuid", "track", nil}, 22: {"categories", "text", nil}, 23: {"name", "text", nil}, 30: {"counter_value", "number", nil}},
	"DebugAnnotation":   {2: {"bool_value", "number", nil}, 3: {"uint_value", "number", nil}, 4: {"int_value", "signed", nil}, 6: {"string_value", "text", nil}, 7: {"pointer_value", "number", nil}, 9: {"legacy_json_value", "text", nil}, 10: {"name", "text", nil}},
}

// A node is a field that was read.
type node struct {
	name   string
	number uint64
	text   string
	inside []node
}

// get returns the field of a path.
func (n *node) get(path ...string) *node {
	for _, name := range path {
		var found *node
		for i := range n.inside {
			if n.inside[i].name == name {
				found = &n.inside[i]
			}
		}
		if n = found; n == nil {
			return &node{}
		}
	}
	return n
}

// decode reads a message, by the numbers that are published.
func decode(t testing.TB, message string, b []byte) (all []node) {
	t.Helper()
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatalf("%s: %v", message, protowire.ParseError(n))
		}
		b = b[n:]
		f, known := messages[message][number]
		if !known {
			t.Fatalf("%s has no field %d", message, number)
		}
		one := node{name: f.name}
		switch f.kind {
		case "number", "signed", "track":
			one.number, n = protowire.ConsumeVarint(b)
			if kind != protowire.VarintType || n < 0 {
				t.Fatalf("%s.%s is not a varint", message, f.name)
			}
			one.text = fmt.Sprint(one.number)
			if f.kind == "signed" {
				one.text = fmt.Sprint(int64(one.number))
			}
			if name, ok := f.enum[one.number]; ok {
				one.text = name
			}
		default:
			var inside []byte
			inside, n = protowire.ConsumeBytes(b)
			if kind != protowire.BytesType || n < 0 {
				t.Fatalf("%s.%s has no length", message, f.name)
			}
			if f.kind == "text" {
				one.text = string(inside)
				if !utf8.Valid(inside) {
					t.Errorf("%s.%s is not UTF-8: %q", message, f.name, inside)
				}
			} else {
				one.inside = decode(t, f.kind, inside)
			}
		}
		all = append(all, one)
		b = b[n:]
	}
	return all
}

// dump writes packets as text. Tracks are numbered as they appear.
func dump(all []node) string {
	var b strings.Builder
	tracks := map[uint64]int{}
	var write func(depth int, n *node)
	write = func(depth int, n *node) {
		indent := strings.Repeat("  ", depth)
		switch {
		case len(n.inside) > 0 && n.name == "debug_annotations":
			for _, v := range n.inside {
				if v.name != "name" {
					fmt.Fprintf(&b, "%s%q %s %q\n", indent, n.get("name").text, v.name, v.text)
				}
			}
		case len(n.inside) > 0:
			fmt.Fprintf(&b, "%s%s\n", indent, n.name)
			for i := range n.inside {
				write(depth+1, &n.inside[i])
			}
		case strings.HasSuffix(n.name, "uuid"):
			if tracks[n.number] == 0 {
				tracks[n.number] = len(tracks) + 1
			}
			fmt.Fprintf(&b, "%s%s track %d\n", indent, n.name, tracks[n.number])
		default:
			fmt.Fprintf(&b, "%s%s %q\n", indent, n.name, n.text)
		}
	}
	for i := range all {
		write(0, &all[i])
	}
	return b.String()
}
