package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestLaterRecording: a recording of a later release is refused with the name of one that
// can replay it, and still says where it was made.
func TestLaterRecording(t *testing.T) {
	const hint = ": tsnoop v9.0.1 recorded it, replay it with that release or a later one"
	for _, tt := range []struct {
		change func(own, plans map[string]any)
		want   string
	}{
		{func(_, plans map[string]any) { plans["version"] = 99 }, "version 99, this program knows only 3"},
		{func(_, plans map[string]any) { plans["later"] = 1 }, `saved by a later version: json: unknown field "later"`},
		{func(own, _ map[string]any) { own["Later"] = 1 }, `saved by a later version: json: unknown field "Later"`},
	} {
		c := sample(t, craftedSpecs...)
		var own map[string]any
		if err := json.Unmarshal(c.own, &own); err != nil {
			t.Fatal(err)
		}
		tt.change(own, own["Plans"].(map[string]any))
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
		if _, err := replay.Open(r, r.Size(), replay.Options{}); err == nil || !strings.Contains(err.Error(), tt.want+hint) {
			t.Errorf("got %v, want %s", err, tt.want+hint)
		}
		o, err := replay.OriginOf(r, r.Size(), "later.dat")
		if err != nil || o.Host != "h\x1b[2J" || o.Kernel != "9.1" {
			t.Errorf("%+v, %v", o, err)
		}
		calm(t, "origin", render.OriginText(o))
	}
}
