package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestReplayDamaged replays a recording with two damaged pages: the program names them with
// the number of events that they had, shows the other events and ends with status 1.
func TestReplayDamaged(t *testing.T) {
	f, file := openSample(t)
	defer f.Close()
	h, err := file.Header()
	if err != nil {
		t.Fatal(err)
	}
	var pages, sums []byte
	events := 0
	for r := file.Buffers[0].CPUs[0].Pages(); ; {
		page, err := r.Next()
		if err != nil {
			break
		}
		n := countEvents(t, file, page)
		events += n
		sums = tracedat.Sum{CPU: 0, Page: len(pages) / len(page), Events: uint32(n), CRC: tracedat.CRC(page)}.Append(sums, false)
		pages = append(pages, page...)
	}
	h.Sums = bytes.NewReader(sums)
	pages[2*4096+1000] ^= 4
	clear(pages[3*4096 : 4*4096])
	name := filepath.Join(t.TempDir(), "t.dat")
	out, err := os.Create(name)
	if err == nil {
		err = tracedat.Write(out, h, []tracedat.CPUSource{{ID: 0, Size: int64(len(pages)), Pages: bytes.NewReader(pages)}})
		out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var shown, said bytes.Buffer
	cmd := exec.Command("tsnoop", "replay", name)
	cmd.Stdout, cmd.Stderr = &shown, &said
	err = cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v", err)
	}
	if want := "tsnoop: damaged: CPU 0, 8192 bytes after "; !strings.Contains(said.String(), want) {
		t.Errorf("said %s", &said)
	}
	if lines := strings.Count(shown.String(), "\n") - 1; lines == 0 || lines >= events {
		t.Errorf("%d lines of %d events", lines, events)
	}
}
