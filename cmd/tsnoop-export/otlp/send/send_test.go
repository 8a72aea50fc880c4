package send

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"google.golang.org/protobuf/encoding/protowire"
)

// A collector answers requests, in the time of the test.
type collector struct {
	mu     sync.Mutex
	answer func(attempt int, r *http.Request) (*http.Response, error)
	tries  int
	at     []time.Duration // of each attempt
	took   []string        // bodies
	begun  time.Time
}

func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.tries++
	n := c.tries
	c.at = append(c.at, time.Since(c.begun))
	c.mu.Unlock()
	resp, err := c.answer(n, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && resp.StatusCode == 200 {
		c.took = append(c.took, string(body))
	}
	return resp, err
}

func status(code int, body string, header ...string) (*http.Response, error) {
	r := &http.Response{StatusCode: code, Status: fmt.Sprint(code, " ", http.StatusText(code)), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r, nil
}

func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// warnings collects messages.
type warnings struct {
	mu sync.Mutex
	bytes.Buffer
}

func (w *warnings) warn(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w, format+"\n", args...)
}

// start returns a client of a collector.
func start(t *testing.T, c *collector, o Options) (*Client, *warnings) {
	t.Helper()
	c.begun = time.Now()
	w := &warnings{}
	o.RoundTripper, o.Warn = c, w.warn
	if o.Context == nil {
		o.Context = t.Context()
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	if o.Most == 0 {
		o.Most = 1 << 20
	}
	settings, err := env.Read(func(string) string { return "" }, "http://collector:4318")
	if err != nil {
		t.Fatal(err)
	}
	client, err := New(settings, o)
	if err != nil {
		t.Fatal(err)
	}
	return client, w
}

// send sends n requests of ten items.
func send(t *testing.T, c *Client, n int) {
	t.Helper()
	for i := range n {
		if err := c.Send(env.Traces, fmt.Appendf(nil, "request %d", i), 10); err != nil {
			t.Fatal(err)
		}
	}
}

// partialSuccess is the answer for a request of which some items were not taken.
func partialSuccess(rejected uint64, text string) string {
	part := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), rejected)
	part = protowire.AppendString(protowire.AppendTag(part, 2, protowire.BytesType), text)
	return string(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), part))
}

// Each way in which a collector fails ends in counts that add up.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(attempt int, r *http.Request) (*http.Response, error)
		o      Options
		want   Counts
		warns  string
	}{
		{name: "takes all", answer: func(int, *http.Request) (*http.Response, error) { return status(200, "") }, want: Counts{}},
		{
			name: "is busy at first",
			answer: func(n int, _ *http.Request) (*http.Response, error) {
				if n <= 2 {
					return status(429, "", "Retry-After", "7")
				}
				return status(200, "")
			},
			want: Counts{Retries: 2}, warns: "the collector takes nothing now: http://collector:4318/v1/traces: 429 Too Many Requests; calls wait, at most 1 MiB of them\nthe collector answers again\n",
		},
		{
			name: "is a gateway without a collector for a while",
			answer: func(n int, _ *http.Request) (*http.Response, error) {
				switch n {
				case 1, 3, 5:
					return status([]int{502, 503, 504}[n/2], "")
				}
				return status(200, "")
			},
			want: Counts{Retries: 3},
		},
		{
			name:   "refuses",
			answer: func(int, *http.Request) (*http.Response, error) { return status(400, "\x12\x04bad\x1b") },
			want:   Counts{Refused: 50, Cause: `http://collector:4318/v1/traces: 400 Bad Request: bad\x1b`},
			warns:  "the collector does not take all: http://collector:4318/v1/traces: 400 Bad Request: bad\\x1b\n",
		},
		{
			name: "takes a part",
			answer: func(n int, _ *http.Request) (*http.Response, error) {
				return status(200, partialSuccess(uint64(n), "too long"))
			},
			want: Counts{Partial: 1 + 2 + 3 + 4 + 5, Cause: "too long"}, warns: "the collector does not take all: too long\n",
		},
		{
			name:   "claims to have refused more than it got",
			answer: func(int, *http.Request) (*http.Response, error) { return status(200, partialSuccess(1<<63, "")) },
			want:   Counts{Partial: 50}, warns: "the collector does not take all: \n",
		},
		{
			name:   "says something",
			answer: func(int, *http.Request) (*http.Response, error) { return status(200, partialSuccess(0, "hello")) },
			warns:  strings.Repeat("the collector says: hello\n", 5),
		},
		{
			name:   "answers with nonsense",
			answer: func(int, *http.Request) (*http.Response, error) { return status(200, "\xff\xff\xff") },
		},
		{
			name: "redirects",
			answer: func(int, *http.Request) (*http.Response, error) {
				return status(302, "", "Location", "http://elsewhere/")
			},
			want:  Counts{Refused: 50, Cause: "http://collector:4318/v1/traces: 302 Found"},
			warns: "the collector does not take all: http://collector:4318/v1/traces: 302 Found\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &collector{answer: tt.answer}
				tt.o.Retry, tt.o.Wait = time.Minute, true
				client, w := start(t, c, tt.o)
				send(t, client, 5)
				got := client.Close()
				if tt.want.Sent = 50; got != tt.want {
					t.Errorf("counts are\n%+v, want\n%+v", got, tt.want)
				}
				if w.String() != tt.warns {
					t.Errorf("warnings are\n%swant\n%s", w.String(), tt.warns)
				}
				if n := 10 * len(c.took); uint64(n) != got.Sent-got.Refused {
					t.Errorf("the collector has %d items", n)
				}
			})
		})
	}
}

// The pause grows, and is as long as the collector asks for.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answer: func(n int, _ *http.Request) (*http.Response, error) {
			switch {
			case n == 4:
				return status(503, "", "Retry-After", time.Now().Add(100*time.Second).UTC().Format(http.TimeFormat))
			case n < 6:
				return status(503, "")
			}
			return status(200, "")
		}}
		client, _ := start(t, c, Options{Retry: time.Hour, Wait: true})
		send(t, client, 1)
		if got := client.Close(); got.Retries != 5 || got.Missing() != 0 {
			t.Errorf("%+v", got)
		}
		for i, want := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 100 * time.Second, 8 * time.Second} {
			if pause := c.at[i+1] - c.at[i]; pause < want/2 || pause > want+time.Second {
				t.Errorf("pause %d is %v, want about %v", i, pause, want)
			}
		}
	})
}

// A collector that hangs, or is away, does not stall a live trace: what has no room is dropped and
// counted, and when the trace ends the collector has the time of Retry.
func TestLive(t *testing.T) {
	for name, answer := range map[string]func(int, *http.Request) (*http.Response, error){
		"hangs": func(_ int, r *http.Request) (*http.Response, error) { return hang(r) },
		"away":  func(int, *http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		"busy":  func(int, *http.Request) (*http.Response, error) { return status(429, "", "Retry-After", "3600") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &collector{answer: answer}
				client, w := start(t, c, Options{Retry: time.Minute, Most: 100})
				send(t, client, 100) // of 9 or 10 bytes each
				if time.Since(c.begun) != 0 {
					t.Error("the reader was stalled")
				}
				time.Sleep(time.Hour) // which is not too long for what waits
				closed := time.Now()
				got := client.Close()
				if got.Sent != 1000 || got.NoRoom != 890 || got.GivenUp != 110 || got.Missing() != got.Sent {
					t.Errorf("%+v", got)
				}
				if took := time.Since(closed); took < time.Minute || took > time.Minute+10*time.Second {
					t.Errorf("Close has taken %v", took)
				}
				if !strings.Contains(w.String(), "calls are dropped\n") {
					t.Errorf("the warnings are %s", w)
				}
			})
		})
	}
}

// A recording is read no faster than a slow collector takes it, and nothing is lost.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answer: func(int, *http.Request) (*http.Response, error) {
			time.Sleep(3 * time.Second)
			return status(200, "")
		}}
		client, w := start(t, c, Options{Retry: time.Minute, Most: 100, Wait: true})
		send(t, client, 100)
		if time.Since(c.begun) < 250*time.Second {
			t.Error("the reader did not wait")
		}
		if got := client.Close(); got != (Counts{Sent: 1000}) || w.Len() > 0 || len(c.took) != 100 {
			t.Errorf("%+v, %s", got, w)
		}
	})
}

// The export of a recording ends when the collector has taken nothing for the time of Retry.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answer: func(n int, r *http.Request) (*http.Response, error) {
			if n > 5 {
				return hang(r)
			}
			return status(200, "")
		}}
		client, _ := start(t, c, Options{Retry: time.Minute, Most: 100, Wait: true, Workers: 4})
		var err error
		sent := 0
		for ; err == nil && sent < 100; sent++ {
			err = client.Send(env.Logs, []byte("0123456789"), 1)
		}
		if err == nil || !strings.Contains(err.Error(), "the collector has taken nothing for 1m0s: http://collector:4318/v1/logs: no answer within 10s") {
			t.Errorf("error is %v", err)
		}
		if took := time.Since(c.begun); took < time.Minute || took > 2*time.Minute {
			t.Errorf("that took %v", took)
		}
		got := client.Close()
		if got.Sent != uint64(sent) || got.GivenUp != got.Sent-5 || got.Missing() != got.Sent-5 || got.Retries == 0 {
			t.Errorf("%+v of %d", got, sent)
		}
	})
}

// A request that is never taken is given up while others are.
func TestPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{}
		c.answer = func(_ int, r *http.Request) (*http.Response, error) {
			if r.ContentLength == 1 {
				return status(503, "")
			}
			return status(200, "")
		}
		client, _ := start(t, c, Options{Retry: time.Minute, Workers: 2})
		for i := range 200 {
			body := []byte("0123456789")
			if i == 50 {
				body = body[:1]
			}
			client.Send(env.Traces, body, 1)
			time.Sleep(time.Second)
		}
		if got := client.Close(); got.GivenUp != 1 || got.Missing() != 1 || len(c.took) != 199 {
			t.Errorf("%+v", got)
		}
	})
}

// An interrupted export ends at once.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &collector{answer: func(_ int, r *http.Request) (*http.Response, error) { return hang(r) }}
		client, _ := start(t, c, Options{Context: ctx, Retry: time.Minute, Most: 100, Wait: true})
		time.AfterFunc(5*time.Second, cancel)
		var err error
		for err == nil {
			err = client.Send(env.Traces, []byte("0123456789"), 1)
		}
		if err != context.Canceled {
			t.Errorf("error is %v", err)
		}
		if got := client.Close(); got.Left != got.Sent || time.Since(c.begun) != 5*time.Second {
			t.Errorf("%+v after %v", got, time.Since(c.begun))
		}
	})
}
