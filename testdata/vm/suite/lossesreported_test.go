//go:build vm

package suite

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestVMLossesReported makes more calls than fit a tiny buffer. JSON has a record wherever
// calls are missing, and nowhere else; in text there are calls only. On stderr it is said once
// a second, and at the end. Events that the kernel skips (tracefs.CPUStats) are known at the
// end only.
func TestVMLossesReported(t *testing.T) {
	n := max(20_000, flood(100_000))
	for _, flags := range []string{"--json", "-t none"} {
		t.Run(flags, func(t *testing.T) {
			l := prepare(t, "pid", "@", "on", "0", "burst", "0", strconv.Itoa(n))
			start := time.Now()
			threads := newThreads(t, l.pid)
			args := append(strings.Fields(flags), "-b", "64K", "-f", "-p", l.pid, "generic_file_llseek(offset)")
			tr := startTrace(t, args...)
			resume := tr.stutter(300*time.Millisecond, 30*time.Millisecond)
			l.run()
			resume()
			tr.end()
			seconds := int(time.Since(start).Seconds())
			var lost int64
			if flags == "--json" {
				lost = jsonGaps(t, tr, int64(n), int64(threads()))
			} else {
				lost = textGaps(t, tr, int64(n))
			}
			if lost == 0 {
				t.Fatal("nothing was lost")
			}
			said := strings.SplitAfter(tr.said(), "\n")
			total := "tsnoop: " + strconv.FormatInt(lost, 10) + " events were lost in all: "
			if last := said[max(0, len(said)-2)]; !strings.HasPrefix(last, total) {
				t.Errorf("stderr ends with %q, want %q", last, total)
			}
			told := len(regexp.MustCompile(" events? (was|were) lost, the last on CPU 0: ").FindAllString(tr.said(), -1))
			if told < 1 || told > seconds+2 || told != len(said)-2 {
				t.Errorf("said %d times in %d seconds:\n%s", told, seconds, tr.said())
			}
		})
	}
}

var (
	lostRecord  = regexp.MustCompile(`^\{"ts_ns":\d+,"cpu":0,"lost":(\d+|null)\}$`)
	totalRecord = regexp.MustCompile(`^\{"lost_total":(\d+),"cpus":\[\{"cpu":0,"overrun":(\d+),"dropped":0,"skipped":(\d+)\}\]\}$`)
)

// jsonGaps checks that there is a record before each gap in the offsets and one
// about all of them at the end. It returns how many events were lost: those of n that are
// missing, and some of the threads that were started.
func jsonGaps(t *testing.T, tr *traced, n, started int64) (total int64) {
	t.Helper()
	var missing int64
	var lost, last []byte  // the record before this line, if it is about losses; and the last one
	var next, silent int64 // silent: missing without a word
	tr.lines(func(line []byte) {
		last = bytes.Clone(line)
		switch offset := number(line, `"value":`); {
		case bytes.HasPrefix(line, []byte(`{"lost_total"`)):
			return
		case offset < 0:
			if lost = last; !lostRecord.Match(line) {
				t.Fatalf("a record of neither kind: %s", line)
			}
			return
		case offset < next || offset == next && lost != nil:
			t.Fatalf("offset %d comes instead of %d, and before it %q", offset, next, lost)
		case lost == nil:
			silent += offset - next
			missing += offset - next
		case lost != nil:
			if number(lost, `"ts_ns":`) != number(line, `"ts_ns":`) {
				t.Fatalf("%s\nis not of the time of what comes next:\n%s", lost, line)
			}
			if count := number(lost, `"lost":`); count > offset-next+started {
				t.Fatalf("%s, but %d are missing", lost, offset-next)
			} else if count >= 0 {
				silent += offset - next - count
			}
			missing, lost = missing+offset-next, nil
		}
		next = number(line, `"value":`) + 1
	})
	missing += n - next
	m := totalRecord.FindSubmatch(last)
	if m == nil {
		t.Fatalf("%d are missing, but the last record is %s", missing, last)
	}
	total, overrun, skipped := parsed(t, m[1]), parsed(t, m[2]), parsed(t, m[3])
	if total < missing || total > missing+started || overrun+skipped != total || silent > skipped {
		t.Errorf("%d are missing, %d of them without a word, and %d threads were started, but the last record is %s", missing, silent, started, last)
	}
	return total
}

func parsed(t *testing.T, digits []byte) int64 {
	t.Helper()
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// textGaps returns how many of n are missing. There must be calls only.
func textGaps(t *testing.T, tr *traced, n int64) (missing int64) {
	t.Helper()
	last, lines := int64(-1), int64(0)
	tr.lines(func(line []byte) {
		offset := number(line, "(offset=")
		if offset <= last {
			t.Fatalf("not a call after that with offset %d: %s", last, line)
		}
		last = offset
		lines++
	})
	return n - lines
}
