package names

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// begun returns a table that /proc was read for between 100 and 200 µs.
func begun(comms map[int]string) *table {
	t := &table{from: unknown}
	t.begin(comms, 100e3, 200e3)
	return t
}

// TestTable has what happens to tasks, and then the names that they have at 1 ms.
func TestTable(t *testing.T) {
	for _, tt := range []struct {
		what string
		do   func(*table)
		want map[int]string // "" if it is not known
	}{
		{"nothing", func(*table) {}, map[int]string{1: "init", 7: "old", 8: "", 0: "swapper/3"}},
		{"renamed", func(t *table) { t.renamed(7, 7, []byte("new"), 300e3) }, map[int]string{7: "new", 1: "init"}},
		{"an empty name", func(t *table) { t.renamed(7, 7, nil, 300e3) }, map[int]string{7: ""}},
		{"renamed twice, then /proc was read, which had the second name", func(t *table) {
			t.renamed(7, 7, []byte("first"), 110e3)
			t.renamed(7, 7, []byte("old"), 150e3)
		}, map[int]string{7: "old"}},
		{"renamed after /proc was read for it", func(t *table) { t.renamed(7, 7, []byte("new"), 150e3) }, map[int]string{7: "new"}},
		{"a new task", func(t *table) { t.born(8, []byte("old"), 300e3) }, map[int]string{8: "old"}},
		{"a new task that is renamed at once, by itself and by another", func(t *table) {
			t.born(8, []byte("old"), 300e3)
			t.renamed(8, 8, []byte("own"), 300e3+100)
			t.born(9, []byte("kthreadd"), 300e3)
			t.renamed(9, 7, []byte("kworker/0:9"), 300e3+100)
		}, map[int]string{8: "own", 9: "kworker/0:9"}},
		{"an ID that is used again", func(t *table) {
			t.renamed(7, 7, []byte("new"), 300e3)
			t.born(7, []byte("child"), 400e3)
		}, map[int]string{7: "child"}},
		{"a thread that executes a program", func(t *table) {
			t.born(8, []byte("thread"), 300e3)
			t.swapped(8, 7, 400e3)
		}, map[int]string{7: "thread"}},
		{"and gets its name", func(t *table) {
			t.born(8, []byte("thread"), 300e3)
			t.swapped(8, 7, 400e3)
			t.renamed(7, 7, []byte("ls"), 500e3)
		}, map[int]string{7: "ls"}},
		{"and whose ID was used again when /proc was read", func(t *table) { t.swapped(1, 7, 150e3) }, map[int]string{7: ""}},
		{"a thread that is not known executes a program", func(t *table) { t.swapped(8, 7, 400e3) }, map[int]string{7: ""}},
		{"renamed by another thread while it was born", func(t *table) {
			t.renamed(8, 7, []byte("raced"), 300e3)
			t.born(8, []byte("old"), 300e3+100)
		}, map[int]string{8: ""}},
		{"renamed by itself and another thread at once", func(t *table) {
			t.renamed(7, 7, []byte("a"), 300e3)
			t.renamed(7, 9, []byte("b"), 300e3+100)
		}, map[int]string{7: ""}},
		{"and once more", func(t *table) {
			t.renamed(7, 7, []byte("a"), 300e3)
			t.renamed(7, 9, []byte("b"), 300e3+100)
			t.renamed(7, 7, []byte("c"), 500e3)
		}, map[int]string{7: "c"}},
		{"renamed quickly by itself", func(t *table) {
			t.renamed(7, 7, []byte("a"), 300e3)
			t.renamed(7, 7, []byte("b"), 300e3+100)
		}, map[int]string{7: "b"}},
		{"events were lost before /proc was read", func(t *table) { t.lost(100e3) }, map[int]string{7: "old"}},
		{"events were lost that may have been later", func(t *table) { t.lost(100e3 + 1) }, map[int]string{1: "", 7: ""}},
		{"and others come", func(t *table) {
			t.lost(300e3)
			t.renamed(7, 7, []byte("new"), 400e3)
			t.born(8, []byte("new"), 400e3)
			t.swapped(8, 7, 400e3)
		}, map[int]string{1: "", 7: "", 8: "", 0: ""}},
	} {
		table := begun(map[int]string{1: "init", 7: "old"})
		for tid := range tt.want {
			if got := table.of(tid, 3, 150e3); got != nil {
				t.Errorf("%s: %d was %q before the table began", tt.what, tid, got)
			}
		}
		tt.do(table)
		for tid, want := range tt.want {
			if got := string(table.of(tid, 3, 1e6)); got != want {
				t.Errorf("%s: %d is %q, want %q", tt.what, tid, got, want)
			}
		}
	}
}

// TestTableNow asks for the same thread before and after each change.
func TestTableNow(t *testing.T) {
	table := begun(nil)
	is := func(want string) {
		t.Helper()
		if got := string(table.of(8, 0, 1e6)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	is("")
	table.born(8, []byte("sh"), 1e6)
	is("sh")
	table.renamed(8, 8, []byte("load"), 2e6)
	is("load")
	table.born(8, []byte("sh"), 3e6)
	is("sh")
	table.lost(4e6)
	is("")
	table.begin(map[int]string{8: "again"}, 5e5, 6e5)
	is("again")
}

// TestTableBounded starts many tasks, of which few live: the names of the dead are removed, but
// not before all of their events have come.
func TestTableBounded(t *testing.T) {
	table := begun(map[int]string{1: "init"})
	live := func(tid int) bool { return tid == 1 || tid%1000 == 0 }
	most, time := 0, uint64(1e6)
	for tid := 2; tid < 10*fewNames; tid++ {
		time += 1000
		table.born(tid, []byte("task"), time)
		table.mark(func() uint64 { return time + 10e6 }, live)
		if got := string(table.of(tid, 0, time+500)); got != "task" {
			t.Fatalf("%d is %q", tid, got)
		}
		most = max(most, len(table.names))
	}
	if most > 2*fewNames {
		t.Errorf("%d names at once", most)
	}
	if string(table.of(1, 0, time)) != "init" || string(table.of(5000, 0, time)) != "task" {
		t.Error("names of tasks that live are gone")
	}
}

func TestKernelWorker(t *testing.T) {
	for comm, want := range map[string]string{
		"kworker/0:1-events": "kworker/0:1", "kworker/0:1+events": "kworker/0:1", "kworker/u16:0-events_unbound": "kworker/u16:0",
		"kworker/1:0H-kblockd": "kworker/1:0H", "kworker/12:345H": "kworker/12:345H", "kworker/0:1": "kworker/0:1",
		"kworker/R-rcu_gp": "kworker/R-rcu_gp", "kworker/R-mld+mld": "kworker/R-mld", "kworker/dying": "kworker/dying",
		"nvme-wq": "nvme-wq", "writeback+flush": "writeback", "kworker/u:": "kworker/u:", "kworker/": "kworker/",
	} {
		if got := kernelWorker(comm); got != want {
			t.Errorf("%q: %q, want %q", comm, got, want)
		}
	}
	for stat, want := range map[string]bool{
		"12 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0": true, "12 (a) b) S 1 1 1 0 -1 4194560 0": false, "12 (kworker/0:1-x) S 1 1 1 0 -1 4194304 0": false, "12 (a) S": false, "": false,
	} {
		if got := isWorker(stat); got != want {
			t.Errorf("%q: %v", stat, got)
		}
	}
}

// TestSnapshot names threads of this process, and finds all of its threads.
func TestSnapshot(t *testing.T) {
	const name = "kworker/0:1-abc" // which only the kernel's own threads have not
	ready, end := make(chan int), make(chan bool)
	defer close(end)
	for range 20 {
		go func() {
			named(t, name)
			ready <- unix.Gettid()
			<-end
		}()
	}
	var tids []int
	for range 20 {
		tids = append(tids, <-ready)
	}
	comms := snapshot()
	for _, tid := range tids {
		if comms[tid] != name {
			t.Errorf("%d is %q", tid, comms[tid])
		}
	}
	if !lives(tids[0]) || lives(1<<22+1) {
		t.Error("who lives?")
	}
	if fmt.Sprint(comms[unix.Getpid()]) == "" {
		t.Error("the first thread has no name")
	}
}
