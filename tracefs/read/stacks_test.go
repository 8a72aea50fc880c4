package read

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs"
)

var stackFormat = &tracefs.Format{ID: 4, Name: "kernel_stack", Fields: []tracefs.FormatField{
	{Name: "size", Offset: 8, Size: 4, Signed: true}, {Name: "caller", Offset: 16, Size: 64, Array: true},
}}

// stackEvents reads "cpu/tid level name" for events and "cpu/tid level = a,b" for
// stacks; "!" before it says that something was lost.
func stackEvents(t *testing.T, lines []string) (events []*tracefs.Event) {
	t.Helper()
	other := &tracefs.Format{ID: 1500}
	for i, line := range lines {
		var cpu, tid int
		var level, rest string
		line, lost := strings.CutPrefix(line, "!")
		if _, err := fmt.Sscanf(line, "%d/%d %s", &cpu, &tid, &level); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		_, rest, _ = strings.Cut(line, level+" ")
		flags := map[string]byte{"task": 0, "soft": 0x10, "hard": 0x08, "nmi": 0x40}[level]
		e := &tracefs.Event{Format: other, Time: uint64(i), CPU: cpu, TID: tid, Data: []byte{0, 0, flags, 0, 0, 0, 0, 0}}
		if lost {
			e.Lost = 1
		}
		if frames, ok := strings.CutPrefix(rest, "= "); ok {
			e.Format = stackFormat
			list := strings.Split(frames, ",")
			e.Data = binary.LittleEndian.AppendUint64(e.Data, uint64(len(list)))
			for _, f := range list {
				e.Data = binary.LittleEndian.AppendUint64(e.Data, uint64(f[0]))
			}
		} else {
			e.Comm = []byte(rest)
		}
		events = append(events, e)
	}
	return events
}

func TestJoinStacks(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		want   []string
	}{
		{"one", []string{"0/7 task a", "0/7 task = x,y"}, []string{"a x y"}},
		{"none", []string{"0/7 task a", "0/7 task b"}, []string{"a", "b"}},
		{"interrupts in between", []string{"0/7 task a", "0/7 soft b", "0/7 hard c", "0/7 hard = z", "0/7 soft = y", "0/7 task = x"},
			[]string{"a x", "b y", "c z"}},
		{"the order is kept across CPUs", []string{"0/7 task a", "1/8 task b", "1/8 task = y", "0/7 task = x"}, []string{"a x", "b y"}},
		{"one has none", []string{"0/7 task a", "0/7 task b", "0/7 task = y"}, []string{"a", "b y"}},
		{"an interrupt has none", []string{"0/7 task a", "0/7 hard b", "0/7 task = x"}, []string{"a x", "b"}},
		{"another task's", []string{"0/7 task a", "0/8 task = x", "0/8 task b", "0/8 task = y"}, []string{"a", "b y"}},
		{"lost before the stack", []string{"0/7 task a", "!0/7 task = x", "0/7 task b", "0/7 task = y"}, []string{"a", "b y lost"}},
		{"lost before the next event", []string{"0/7 task a", "!0/7 hard b", "0/7 hard = y"}, []string{"a", "b y lost"}},
		{"a stack alone", []string{"0/7 task = x", "0/7 task a"}, []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			events := stackEvents(t, tt.events)
			for e, err := range JoinStacks(sequence(events, nil), stackFormat, binary.LittleEndian) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, describe(e))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func describe(e *tracefs.Event) string {
	s := string(e.Comm)
	for _, addr := range e.Stack {
		s += fmt.Sprintf(" %c", byte(addr))
	}
	if e.Lost > 0 {
		s += " lost"
	}
	return s
}

// sequence yields copies, of which the memory is used again.
func sequence(events []*tracefs.Event, err error) func(func(*tracefs.Event, error) bool) {
	return func(yield func(*tracefs.Event, error) bool) {
		for _, e := range events {
			c := *e
			c.Data, c.Comm = append([]byte(nil), e.Data...), append([]byte(nil), e.Comm...)
			if !yield(&c, nil) {
				return
			}
			clear(c.Data)
			clear(c.Comm)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// TestJoinStacksError: what waits comes before the error.
func TestJoinStacksError(t *testing.T) {
	broken := errors.New("broken")
	var got []string
	for e, err := range JoinStacks(sequence(stackEvents(t, []string{"0/7 task a"}), broken), stackFormat, binary.LittleEndian) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, describe(e))
	}
	if diff := cmp.Diff([]string{"a", "broken"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStackSizes: no size makes the reader leave the record.
func TestStackSizes(t *testing.T) {
	for _, size := range []int32{-1, 0, 3, 1000, 1<<31 - 1} {
		for n := range 64 {
			data := make([]byte, 64)
			binary.LittleEndian.PutUint32(data[8:], uint32(size))
			j := &stackJoiner{order: binary.LittleEndian}
			got := j.addresses(nil, data[:n], stackFormat)
			if want := max(0, min(int(size), (n-16)/8)); n >= 16 && len(got) != want || n < 16 && len(got) > 0 {
				t.Errorf("record of %d bytes, size %d: %d addresses, want %d", n, size, len(got), want)
			}
		}
	}
}
