package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// BenchmarkReplay compares, as events a second, whole replays of one file with trace-cmd report
// (each round is one of each, in turn), and with the floor: decoding without printing, and
// reading the pages alone. For programs it reports the most memory that they had. The file is
// that of TSNOOP_BENCH_FILE, or one made of the sample's pages.
func BenchmarkReplay(b *testing.B) {
	name := os.Getenv("TSNOOP_BENCH_FILE")
	if name == "" {
		name, _ = writeLarge(b, 150, tracedat.Header{Version: 7, Zstd: true})
	}
	tsnoop := buildTsnoop(b)
	events := 0
	ways := []struct {
		name string
		run  func() (peak int64, err error)
	}{
		{"read", func() (int64, error) { return 0, readPages(name) }},
		{"decode", func() (_ int64, err error) { events, err = decode(name); return 0, err }},
		{"text", func() (int64, error) { return run(tsnoop, "replay", name) }},
		{"json", func() (int64, error) { return run(tsnoop, "replay", "--json", name) }},
		{"trace-cmd", func() (int64, error) { return run("trace-cmd", "report", name) }},
	}
	spent, peaks := make([]time.Duration, len(ways)), make([]int64, len(ways))
	for b.Loop() {
		for i, way := range ways {
			start := time.Now()
			peak, err := way.run()
			if err != nil {
				b.Skipf("%s: %v", way.name, err)
			}
			spent[i] += time.Since(start)
			peaks[i] = max(peaks[i], peak)
		}
	}
	last := spent[len(ways)-1]
	for i, way := range ways {
		b.ReportMetric(float64(events*b.N)/spent[i].Seconds()/1e6, way.name+"-Mevents/s")
		if i < len(ways)-1 {
			b.ReportMetric(float64(last)/float64(spent[i]), way.name+"-times-trace-cmd")
		}
		if peaks[i] > 0 {
			b.ReportMetric(float64(peaks[i])/(1<<20), way.name+"-peak-MiB")
		}
	}
}

// run runs a program, whose output nobody wants, and returns the most memory
// that it had, in bytes.
func run(name string, args ...string) (peak int64, err error) {
	cmd := exec.Command(name, args...)
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, nil
}

// buildTsnoop makes the command as users have it, whatever the tests are built with.
func buildTsnoop(b testing.TB) string {
	name := b.TempDir() + "/tsnoop"
	cmd := exec.Command("go", "build", "-o", name, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return name
}

func openBench(name string) (*os.File, *replay.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	o, err := flags.Parse([]string{"replay", name})
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	r, err := openReplay(f, info.Size(), name, o, terminal.New("tsnoop", o.Color, o.Show.Verbose))
	return f, r, err
}

// readPages reads, and decompresses, the pages.
func readPages(name string) error {
	f, file, err := openTrace(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for i := range file.Buffers[0].CPUs {
		pages := file.Buffers[0].CPUs[i].Pages()
		for _, err = pages.Next(); err == nil; _, err = pages.Next() {
		}
	}
	return nil
}

// decode goes through the events in order of time.
func decode(name string) (n int, err error) {
	f, r, err := openBench(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for e, err := range r.Events() {
		if err != nil {
			return n, err
		}
		consumed += len(e.Data)
		n++
	}
	return n, nil
}

var consumed int
