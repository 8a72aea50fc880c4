package terminal

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A step takes so long, of a time that passes only here.
func (p *Progress) armSlowly(n int, each time.Duration) {
	for i := range n {
		p.Step("arming", i, n)
		time.Sleep(each)
	}
}

func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		do       func(p *Progress)
		want     string
	}{
		{"quick", false, func(p *Progress) { p.armSlowly(1000, time.Microsecond) }, ""},
		{"few", false, func(p *Progress) { p.armSlowly(3, time.Minute) }, ""},
		{"slow", false, func(p *Progress) { p.armSlowly(1000, 10*time.Millisecond) }, "tsnoop: enabling 1000 functions...\n"},
		{"enabling is arming", false, func(p *Progress) {
			p.armSlowly(100, 6*time.Millisecond)
			p.Step("enabling", 0, 100)
			time.Sleep(time.Minute)
		}, "tsnoop: enabling 100 functions...\n"},
		{"disabling", false, func(p *Progress) {
			p.Step("disabling", 0, 200)
			time.Sleep(time.Minute)
			p.Step("removing", 0, 200)
			time.Sleep(time.Minute)
		}, "tsnoop: removing 200 probes...\n"},
		{"terminal", true, func(p *Progress) { p.armSlowly(20, 60*time.Millisecond) }, drawn(20, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)},
		{"beside lines of data", true, func(p *Progress) {
			p.Step("disabling", 0, 200)
			time.Sleep(time.Minute)
			p.Step("removing", 0, 200)
		}, "tsnoop: removing 200 probes...\ntsnoop: removing 200 probes...\r\x1b[K"},
		{"warning", true, func(p *Progress) {
			p.Step("enabling", 0, 200)
			p.ui.Warn("something")
		}, "tsnoop: enabling 200 probes...\r\x1b[Ktsnoop: something\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said bytes.Buffer
				p := (&UI{Stderr: &said}).NewProgress()
				p.terminal = tt.terminal
				tt.do(p)
				p.End()
				if said.String() != tt.want {
					t.Errorf("got %q, want %q", said.String(), tt.want)
				}
			})
		})
	}
}

// TestWatch: what takes less than a second is not mentioned, what takes longer is, over and
// over, and nothing of it stays; nothing is written to what is not a terminal.
func TestWatch(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		takes    time.Duration
		want     string
	}{
		{true, 900 * time.Millisecond, ""},
		{true, 2500 * time.Millisecond, "tsnoop: f: 1% of 2.0 MiB\r\x1b[Ktsnoop: f: 2% of 2.0 MiB\r\x1b[K"},
		{false, time.Minute, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			u := &UI{Stderr: &said, Terminal: tt.terminal}
			n := uint64(0)
			stop := u.Watch(func() string {
				n += 25000
				return "f: " + Percent(n, 2<<20)
			})
			time.Sleep(tt.takes)
			stop()
			if said.String() != tt.want {
				t.Errorf("got %q, want %q", said.String(), tt.want)
			}
		})
	}
	if got := Percent(5, 5) + Percent(0, 0); got != "99% of 0.0 MiB0% of 0.0 MiB" {
		t.Error(got)
	}
}

// drawn is what a terminal is given: a line that is written over.
func drawn(all int, counts ...int) string {
	var b bytes.Buffer
	for i, n := range counts {
		if i > 0 {
			b.WriteString("\r\x1b[K")
		}
		fmt.Fprintf(&b, "tsnoop: enabling %d of %d functions...", n, all)
	}
	return b.String() + "\r\x1b[K"
}
