package otlp

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/send"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
)

const (
	mostQueued = 32 << 20 // bytes of requests that wait for the collector
	workers    = 4        // requests at a time
)

// open returns where requests go: to a URL, to a file, or to where variables say.
func open(to output.To, o Options, url, named string, getenv func(string) string) (sink, error) {
	if url != "" && named != "" {
		return nil, program.Errorf("", "the calls are sent to a URL or written to a file: give one of %s and --output", url)
	}
	if named != "" || url == "" && !env.Set(getenv) {
		return &file{w: to.W}, nil
	}
	all, err := env.Read(getenv, url)
	if err != nil {
		return nil, err
	}
	workers := workers
	if o.Metrics > 0 {
		workers = 1 // points of a series must not pass each other
	}
	client, err := send.New(all, send.Options{Context: to.Context, Agent: "tsnoop-export/" + cmp.Or(to.Version, "devel"),
		Most: mostQueued, Wait: !to.Live, Retry: o.Retry, Workers: workers, Warn: to.Warn})
	if err != nil {
		return nil, err
	}
	return &collector{client, o.Retry}, nil
}

// A collector is the [sink] that sends requests to one.
type collector struct {
	*send.Client
	retry time.Duration
}

func (c *collector) Close(error) error { return report(c.Client.Close(), c.retry) }

// report says what was not delivered, and why.
func report(n send.Counts, retry time.Duration) error {
	missing := n.Missing()
	if missing == 0 {
		return nil
	}
	var why []string
	for _, one := range []struct {
		n    uint64
		text string
	}{
		{n.NoRoom, fmt.Sprintf("dropped, as more than %d MiB waited", mostQueued>>20)},
		{n.Refused + n.Partial, "refused by the collector"},
		{n.GivenUp, fmt.Sprintf("given up after %v", retry)},
		{n.Left, "not sent when the export was interrupted"},
		{n.Nowhere, "of a signal without an endpoint"},
	} {
		if one.n > 0 {
			why = append(why, fmt.Sprintf("%d %s", one.n, one.text))
		}
	}
	text := fmt.Sprintf("%d of %d items did not arrive: %s; retries: %d", missing, n.Sent, strings.Join(why, ", "), n.Retries)
	if n.Cause != "" {
		text += "; the last reason: " + n.Cause
	}
	return fmt.Errorf("%s", text)
}
