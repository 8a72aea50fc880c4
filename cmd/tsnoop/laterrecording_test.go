package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestLaterRecording: a recording of a later release is refused with the name of one that
// can replay it, and still says where it was made.
func TestLaterRecording(t *testing.T) {
	c := sample(t, craftedSpecs...)
	var own map[string]any
	if err := json.Unmarshal(c.own, &own); err != nil {
		t.Fatal(err)
	}
	own["Plans"].(map[string]any)["version"] = 99
	own["Origin"] = map[string]any{"host": "h\x1b[2J", "kernel": "9.1"}
	var err error
	if c.own, err = json.Marshal(own); err != nil {
		t.Fatal(err)
	}
	h := c.header()
	h.Recorder = "tsnoop v9.0.1"
	var file memoryFile
	if err := tracedat.Write(&file, h, nil); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(file.b)
	const want = "version 99, this program knows only 3: tsnoop v9.0.1 recorded it, replay it with that release or a later one"
	if _, err := trace.Open(r, r.Size(), trace.OpenOptions{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	o, err := trace.OriginOf(r, r.Size(), "later.dat")
	if err != nil || o.Host != "h\x1b[2J" || o.Kernel != "9.1" {
		t.Errorf("%+v, %v", o, err)
	}
	calm(t, "origin", render.OriginText(o))
}
