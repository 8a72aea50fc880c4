package read

import (
	"context"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A lateCPU is a source whose pages come at certain times of a clock.
type lateCPU struct {
	clock *uint64
	at    []uint64
	pages [][]byte
}

func (c *lateCPU) next() ([]byte, error) {
	if len(c.at) == 0 || *c.clock < c.at[0] {
		return nil, errEmpty
	}
	b := c.pages[0]
	c.at, c.pages = c.at[1:], c.pages[1:]
	return b, nil
}

// TestSettle has events come late from one CPU, as those do that an interrupt held up:
// they are nevertheless passed on in the order of time, and the last ones as soon as no
// more are wanted.
func TestSettle(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waiter, err := newWaiter()
	if err != nil {
		t.Fatal(err)
	}
	clock := uint64(100e6) // each look at it takes a millisecond
	r := &liveReader{ctx: ctx, closing: context.Background(), waiter: waiter,
		merger: newMerger(Options{Layout: testLayouts[0], Formats: knownFormats}),
		now:    func() uint64 { clock += 1e6; return clock }}
	defer r.close()
	w := &pageWriter{Layout: testLayouts[0]}
	page := func(text string) []byte { return w.page(t, text) }
	r.add(&stream{cpu: 0, next: (&lateCPU{&clock, []uint64{0, 140e6}, [][]byte{page("100000000 101000000"), page("139000000")}}).next})
	r.add(&stream{cpu: 1, next: (&lateCPU{&clock, []uint64{108e6, 147e6}, [][]byte{page("99000000 100500000"), page("138000000")}}).next})
	r.add(&stream{cpu: 2, next: func() ([]byte, error) { return nil, errEmpty }})
	waiter.watch(readable(t)) // as if there were always something: nothing waits for ever

	var got []uint64
	r.run(func(e *tracefs.Event, err error) bool {
		if err != nil {
			t.Error(err)
			return false
		}
		got = append(got, e.Time)
		if len(got) == 5 {
			cancel()
		}
		return true
	})
	want := []uint64{99e6, 100e6, 100.5e6, 101e6, 138e6, 139e6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("times (-want +got)\n%s", diff)
	}
}

// readable returns a pipe that has something to read.
func readable(t *testing.T) syscall.RawConn {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	if _, err := io.WriteString(w, "x"); err != nil {
		t.Fatal(err)
	}
	conn, err := r.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestWaiter: a wait ends when there is something to read, each time, and when it is
// woken, before or meanwhile, and then at once.
func TestWaiter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w, err := newWaiter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	w.wakeOn(ctx)
	if !w.wait(false, false) {
		t.Error("something has come, of nothing")
	}
	r, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer in.Close()
	conn, err := r.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.watch(conn); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		go func() {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			in.Write([]byte{byte(i)})
		}()
		if w.wait(false, false) {
			t.Fatalf("%d: waited in vain", i)
		}
		if w.wait(true, false) {
			t.Fatalf("%d: what is not read yet is not reported again", i)
		}
		r.Read(make([]byte, 1))
		if err := w.again(conn); err != nil {
			t.Fatal(err)
		}
		if !w.wait(false, false) {
			t.Fatalf("%d: something has come again", i)
		}
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		cancel()
	}()
	w.sleep(int64(time.Hour))
	for range 2 {
		if w.wait(false, false) || w.wait(true, true) {
			t.Error("a waiter that was woken has waited")
		}
		w.sleep(int64(time.Hour))
	}
}
