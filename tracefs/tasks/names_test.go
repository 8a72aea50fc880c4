package tasks_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

var (
	nameless = &tracefs.Format{ID: 1}
	named    = &tracefs.Format{ID: 2}
)

// namesOf returns the names that events have after Follow, "!" for an error.
func namesOf(n *tasks.Names, events ...*tracefs.Event) (names []string) {
	from := func(yield func(*tracefs.Event, error) bool) {
		for _, e := range events {
			var err error
			if e == nil {
				err = errors.New("no event")
			}
			if !yield(e, err) {
				return
			}
		}
	}
	for e, err := range n.Follow(iter.Seq2[*tracefs.Event, error](from), func(f *tracefs.Format) bool { return f == nameless }) {
		if err != nil {
			names = append(names, "!")
			continue
		}
		names = append(names, string(e.Comm))
	}
	return names
}

func TestRecordedNames(t *testing.T) {
	n := tasks.RecordedNames(map[int]string{7: "cat", 0: "not this"})
	got := namesOf(n,
		&tracefs.Event{Format: nameless, TID: 7},
		&tracefs.Event{Format: nameless, TID: 8},
		&tracefs.Event{Format: nameless, TID: 0, CPU: 3},
		&tracefs.Event{Format: named, TID: 7},
		&tracefs.Event{Format: nameless, TID: 7, Comm: []byte("own")},
		nil)
	if want := []string{"cat", "", "swapper/3", "", "own", "!"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := namesOf(nil, &tracefs.Event{Format: nameless, TID: 7}); !slices.Equal(got, []string{""}) {
		t.Errorf("without names: %q", got)
	}
}

// TestNames: a task that lives is asked again after a while; of one that has ended the kernel
// is asked, not for each event.
func TestNames(t *testing.T) {
	if !tracefs.InitPIDNamespace() {
		t.Skip("thread IDs of events are not those of this PID namespace")
	}
	self, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	const ended, unknown = 1 << 29, 1<<29 + 1
	asked := 0
	n := tasks.NewNames(func() (map[int]string, error) {
		asked++
		return map[int]string{ended: "gone", os.Getpid(): "old"}, nil
	})
	at := func(time uint64, tid int) *tracefs.Event {
		return &tracefs.Event{Format: nameless, Time: time, TID: tid}
	}
	me := strings.TrimSpace(string(self))
	got := namesOf(n, at(100e6, os.Getpid()), at(100e6, ended), at(101e6, ended), at(101e6, unknown), at(120e6, unknown), at(120e6, os.Getpid()), at(200e6, ended))
	if want := []string{me, "gone", "gone", "", "", me, "gone"}; fmt.Sprint(got) != fmt.Sprint(want) || asked != 2 {
		t.Errorf("got %q after asking %d times, want %q after 2", got, asked, want)
	}
}

// TestManyNames: the names of the tasks of a long trace take no more and more memory.
func TestManyNames(t *testing.T) {
	n := tasks.NewNames(func() (map[int]string, error) { return nil, nil })
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	for i := range 3 << 16 {
		namesOf(n, &tracefs.Event{Format: nameless, Time: uint64(i), TID: 1<<29 + i})
	}
	runtime.GC()
	runtime.ReadMemStats(&m1)
	if grown := int64(m1.HeapAlloc) - int64(m0.HeapAlloc); grown > 8<<20 {
		t.Errorf("the names of 196,608 tasks take %d MiB", grown>>20)
	}
	runtime.KeepAlive(n)
}
