package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A request is a line of the Collector's file exporter.
type request struct {
	ResourceSpans []struct {
		Resource   json.RawMessage
		ScopeSpans []struct{ Spans []map[string]any }
	}
	ResourceLogs []struct {
		Resource  json.RawMessage
		ScopeLogs []struct{ LogRecords []map[string]any }
	}
}

// items returns the spans and log records of lines.
func items(t *testing.T, lines []byte) (spans, records []map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(lines))
	d.UseNumber()
	for d.More() {
		var r request
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		for _, rs := range r.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				spans = append(spans, ss.Spans...)
			}
		}
		for _, rl := range r.ResourceLogs {
			for _, sl := range rl.ScopeLogs {
				records = append(records, sl.LogRecords...)
			}
		}
	}
	return spans, records
}

// The OpenTelemetry Collector receives the calls of a recording as the lines of its replay have
// them, with the parents that --tree shows. It writes the same to a file as tsnoop-export.
func TestCollector(t *testing.T) {
	collector, p := installed(t, "collector"), build(t)
	for _, vars := range [][2]string{{"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"}, {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}} {
		for _, name := range fleetRecordings(t) {
			t.Run(path.Join(vars[1], filepath.Base(name)), func(t *testing.T) {
				t.Setenv(vars[0], vars[1])
				file := filepath.Join(t.TempDir(), "got.json")
				url, s := startCollector(t, collector, file)
				p.run(t, "tsnoop-export", "otlp", url, name)
				s.stop()
				got, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				spans, records := items(t, got)
				compareFile(t, p, name, spans, records)
				compareReplay(t, p, name, spans, records)
			})
		}
	}
}

// startCollector starts one that writes to a file, and returns its URL.
func startCollector(t *testing.T, collector, file string) (url string, s *server) {
	t.Helper()
	n := port(t)
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, collectorConfig, n, file), 0o600); err != nil {
		t.Fatal(err)
	}
	url = fmt.Sprintf("http://127.0.0.1:%d", n)
	return url, serve(t, url, collector, "--config", config)
}

const collectorConfig = `
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:%d"}}}}
exporters: {file: {path: "%s"}}
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [file]}
    logs: {receivers: [otlp], exporters: [file]}
    metrics: {receivers: [otlp], exporters: [file]}
`

// compareFile compares spans and records with those that tsnoop-export writes to a file.
func compareFile(t *testing.T, p programs, name string, spans, records []map[string]any) {
	t.Helper()
	own, ownRecords := items(t, p.run(t, "tsnoop-export", "otlp", name))
	if len(own) != len(spans) || len(ownRecords) != len(records) {
		t.Fatalf("%d spans and %d records, the file has %d and %d", len(spans), len(records), len(own), len(ownRecords))
	}
	byID := map[string]map[string]any{}
	for _, s := range own {
		byID[s["spanId"].(string)] = s
	}
	for _, s := range spans {
		if o := byID[s["spanId"].(string)]; !sameItem(s, o) {
			t.Fatalf("differs from the file: %s", cmp.Diff(o, s))
		}
	}
	if len(byID) != len(spans) {
		t.Errorf("%d ids of %d spans", len(byID), len(spans))
	}
}

// sameItem compares what the Collector writes with what it was sent. It writes some fields that are empty.
func sameItem(got, want map[string]any) bool {
	for _, empty := range []string{"parentSpanId", "traceState"} {
		if got[empty] == "" {
			delete(got, empty)
		}
	}
	if s, ok := got["status"].(map[string]any); ok && len(s) == 0 {
		delete(got, "status")
	}
	return reflect.DeepEqual(got, want)
}

// compareReplay compares spans and records with the lines of JSON.
func compareReplay(t *testing.T, p programs, name string, spans, records []map[string]any) {
	t.Helper()
	want := replayed(t, p, name)
	byID, found := map[string]string{}, 0
	key := func(item map[string]any, time string) string {
		a := otlpAttributes(item)
		return fmt.Sprint(item[time], " ", a["thread.id"], " ", a["code.function.name"])
	}
	for _, s := range spans {
		byID[s["spanId"].(string)] = key(s, "startTimeUnixNano")
	}
	check := func(item map[string]any, time, parent string) {
		c := want.calls[key(item, time)]
		a := otlpAttributes(item)
		if c == nil {
			if a["tsnoop.loss"] == "" {
				t.Fatalf("the lines have no %s", key(item, time))
			}
			return
		}
		found++
		if diff := cmp.Diff(c.attrs, a); diff != "" {
			t.Fatalf("%s: %s", key(item, time), diff)
		}
		id, _ := item[parent].(string)
		if byID[id] != c.parent {
			t.Fatalf("%s has the parent %q, want %q", key(item, time), byID[id], c.parent)
		}
	}
	for _, s := range spans {
		check(s, "startTimeUnixNano", "parentSpanId")
	}
	for _, r := range records {
		check(r, "timeUnixNano", "spanId")
	}
	if found != len(want.calls) || len(spans) != want.spans {
		t.Errorf("%d calls and %d spans, want %d and %d", found, len(spans), len(want.calls), want.spans)
	}
	t.Logf("%s: %d spans, %d log records", filepath.Base(name), len(spans), len(records))
}

// otlpAttributes returns attributes as text.
func otlpAttributes(item map[string]any) map[string]string {
	all := map[string]string{}
	for _, one := range list(item["attributes"]) {
		a := one.(map[string]any)
		all[a["key"].(string)] = flat(anyValue(a["value"]))
	}
	return all
}

// anyValue returns the value that the JSON of an AnyValue stands for.
func anyValue(v any) any {
	m, _ := v.(map[string]any)
	for kind, x := range m {
		switch kind {
		case "arrayValue":
			all := []any{}
			for _, e := range list(x.(map[string]any)["values"]) {
				all = append(all, anyValue(e))
			}
			return all
		case "kvlistValue":
			all := map[string]any{}
			for _, e := range list(x.(map[string]any)["values"]) {
				all[e.(map[string]any)["key"].(string)] = anyValue(e.(map[string]any)["value"])
			}
			return all
		case "bytesValue":
			b, _ := base64.StdEncoding.DecodeString(x.(string))
			return fmt.Sprintf("%x", b)
		}
		return x
	}
	return nil
}
