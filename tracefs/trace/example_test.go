package trace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// Reads are traced, as root. Only the caller of tenReads exits: probes stay in the kernel
// until Trace.Close removes them, and log.Fatal runs no deferred functions.
func Example_live() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := tenReads(ctx, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// tenReads prints the next ten reads of more than 4096 bytes. The trace ends with the
// context, and what was recorded by then is read; Losses reports what is missing.
func tenReads(ctx context.Context, w io.Writer) (err error) {
	fs, err := tracefs.Find()
	if err != nil {
		return err
	}
	h := host.New(fs)
	plans, err := h.Plan([]string{"vfs_read(count, return) if count > 4096"}, host.PlanOptions{})
	if err != nil {
		return err // a spec.Errors, which has the places in the specs
	}
	t, err := trace.Arm(ctx, h, plans, trace.Options{Warn: func(w tracefs.Warning) { log.Print(w.Text) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }() // removes the probes
	n := 0
	for call, err := range t.Calls(ctx) {
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s %d ns\n", call.Return.Comm, call.Duration); err != nil {
			return err
		}
		if n++; n == 10 {
			break
		}
	}
	t.Losses().Report(func(w tracefs.Warning) { log.Print(w.Text) })
	return nil
}
