package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A jaegerSpan is a span as Jaeger's HTTP API has it.
type jaegerSpan struct {
	TraceID, SpanID, OperationName string
	References                     []struct{ RefType, TraceID, SpanID string }
	StartTime, Duration            int64 // us
	Tags                           []struct {
		Key   string
		Value any
	}
}

// ofJaeger are tags that Jaeger makes of what else a span has.
var ofJaeger = map[string]bool{"span.kind": true, "otel.status_code": true, "otel.status_description": true, "error": true, "otel.scope.name": true, "otel.scope.version": true}

// attributes returns the attributes of a span as text.
func (s *jaegerSpan) attributes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, tag := range s.Tags {
		if ofJaeger[tag.Key] {
			continue
		}
		text, ok := tag.Value.(string)
		if ok && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) {
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&tag.Value); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		all[tag.Key] = flat(tag.Value)
	}
	return all
}

// jaegerSpans returns all spans that Jaeger has of a service.
func jaegerSpans(t *testing.T, server string) (all []*jaegerSpan) {
	t.Helper()
	var raw json.RawMessage
	fetch(t, server+"/api/traces?service=tsnoop&limit=1000000&lookback=custom&start=0&end=9000000000000000", &raw)
	var r struct {
		Data []struct{ Spans []*jaegerSpan }
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	for _, trace := range r.Data {
		all = append(all, trace.Spans...)
	}
	return all
}

// Jaeger has the calls of a recording as spans, with the attributes that the lines of JSON have and
// the parents that --tree shows.
func TestJaeger(t *testing.T) {
	jaeger, p := installed(t, "jaeger"), build(t)
	t.Setenv("OTEL_LOGS_EXPORTER", "none")
	for _, name := range fleetRecordings(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			otlp, query := fmt.Sprintf("127.0.0.1:%d", port(t)), fmt.Sprintf("127.0.0.1:%d", port(t))
			free := func() string { return fmt.Sprintf("127.0.0.1:%d", port(t)) }
			serve(t, "http://"+query+"/api/services", jaeger, "--collector.otlp.http.host-port="+otlp, "--query.http-server.host-port="+query,
				"--collector.queue-size=100000", // of 2000 spans, beyond which it drops them
				"--collector.otlp.grpc.host-port="+free(), "--query.grpc-server.host-port="+free(), "--admin.http.host-port="+free(),
				"--collector.grpc-server.host-port="+free(), "--collector.http-server.host-port="+free())
			p.run(t, "tsnoop-export", "otlp", "http://"+otlp, name)
			want := replayed(t, p, name)
			spans := jaegerSpans(t, "http://"+query)
			for range 100 { // it stores them later
				if len(spans) >= want.spans {
					break
				}
				time.Sleep(100 * time.Millisecond)
				spans = jaegerSpans(t, "http://"+query)
			}
			compareJaeger(t, p, name, want, spans)
		})
	}
}

func compareJaeger(t *testing.T, p programs, name string, want *wanted, spans []*jaegerSpan) {
	t.Helper()
	keys := map[string]string{}
	own, _ := items(t, p.run(t, "tsnoop-export", "otlp", name))
	for _, s := range own { // Jaeger's times are in us
		a := otlpAttributes(s)
		keys[s["spanId"].(string)] = fmt.Sprint(s["startTimeUnixNano"], " ", a["thread.id"], " ", a["code.function.name"])
	}
	for _, s := range spans {
		key := keys[s.SpanID]
		c := want.calls[key]
		if c == nil {
			t.Fatalf("the lines have no span %s", s.SpanID)
		}
		if diff := cmp.Diff(c.attrs, s.attributes(t)); diff != "" {
			t.Fatalf("%s: %s", key, diff)
		}
		parent := ""
		for _, r := range s.References {
			if parent = keys[r.SpanID]; r.RefType != "CHILD_OF" || r.TraceID != s.TraceID {
				t.Fatalf("%s: %v", key, r)
			}
		}
		if parent != c.parent || s.Duration != c.took/1000 || !strings.HasPrefix(key, fmt.Sprint(s.StartTime)) {
			t.Fatalf("%s: parent %q, want %q; %d us from %d, want %d ns", key, parent, c.parent, s.Duration, s.StartTime, c.took)
		}
	}
	if len(spans) != want.spans {
		t.Errorf("%d spans, want %d", len(spans), want.spans)
	}
	t.Logf("%s: %d spans", filepath.Base(name), len(spans))
}
