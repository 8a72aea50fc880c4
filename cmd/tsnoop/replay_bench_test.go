package main

import (
	"os"
	"testing"
)

// BenchmarkReplay replays a file of 300,000 events: TSNOOP_BENCH_FILE.
func BenchmarkReplay(b *testing.B) {
	name := os.Getenv("TSNOOP_BENCH_FILE")
	if name == "" {
		b.Skip("no TSNOOP_BENCH_FILE")
	}
	for b.Loop() {
		o, err := parseArgs([]string{"replay", "-o", os.DevNull, name})
		if err != nil {
			b.Fatal(err)
		}
		if err := runReplay(o, newUI(o)); err != nil {
			b.Fatal(err)
		}
	}
}
