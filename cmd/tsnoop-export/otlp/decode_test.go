package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/otlpjson"
	logs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	logpb "go.opentelemetry.io/proto/slim/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// A received is the sink that decodes requests with the published messages.
type received struct {
	t         *testing.T
	requests  [env.Signals]int
	items     [env.Signals]int
	resources map[string]*resource.Resource // by host.name
	spans     []*tracepb.Span
	records   []*logpb.LogRecord
	metrics   []*metrics.ExportMetricsServiceRequest
	hosts     []string // of each span
	fail      error
	closed    bool
}

func (r *received) Send(s env.Signal, body []byte, n int) error {
	if r.closed {
		r.t.Error("a request after the last one")
	}
	messages := [...]proto.Message{&traces.ExportTraceServiceRequest{}, &logs.ExportLogsServiceRequest{}, &metrics.ExportMetricsServiceRequest{}}
	m := messages[s]
	if err := proto.Unmarshal(body, m); err != nil {
		r.t.Fatal(err)
	}
	checkUnknown(r.t, m)
	if n < 100 && len(body) < 1<<16 { // which is enough
		checkJSON(r.t, s, body, m)
	}
	r.requests[s]++
	r.items[s] += n
	had := len(r.spans) + len(r.records)
	switch m := m.(type) {
	case *traces.ExportTraceServiceRequest:
		for _, rs := range m.ResourceSpans {
			r.resource(rs.Resource)
			for _, ss := range rs.ScopeSpans {
				r.spans = append(r.spans, ss.Spans...)
				for range ss.Spans {
					r.hosts = append(r.hosts, attr(rs.Resource.Attributes, "host.name"))
				}
			}
		}
	case *logs.ExportLogsServiceRequest:
		for _, rl := range m.ResourceLogs {
			r.resource(rl.Resource)
			for _, sl := range rl.ScopeLogs {
				r.records = append(r.records, sl.LogRecords...)
			}
		}
	case *metrics.ExportMetricsServiceRequest:
		r.metrics = append(r.metrics, m)
		return r.fail
	}
	if got := len(r.spans) + len(r.records) - had; got != n {
		r.t.Errorf("a request of %d has %d", n, got)
	}
	return r.fail
}

func (r *received) Close(error) error {
	r.closed = true
	return nil
}

func (r *received) resource(of *resource.Resource) {
	if r.resources == nil {
		r.resources = map[string]*resource.Resource{}
	}
	r.resources[attr(of.Attributes, "host.name")] = of
}

// checkUnknown fails if a message has fields that the published one does not have.
func checkUnknown(t *testing.T, m proto.Message) {
	if b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil || len(m.ProtoReflect().GetUnknown()) > 0 {
		t.Errorf("%v, %d bytes", err, len(b))
	}
}

// checkJSON compares the JSON of a request with that of the published module, which has ids in base64 and may leave
// out what is zero.
func checkJSON(t *testing.T, s env.Signal, body []byte, m proto.Message) {
	t.Helper()
	published, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(otlpjson.Append(nil, s, body), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(published, &want); err != nil {
		t.Fatal(err)
	}
	hexIDs(want)
	if !reflect.DeepEqual(want, got) {
		t.Errorf("JSON differs from that of the published messages: %s", cmp.Diff(want, got))
	}
}

func hexIDs(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			hexIDs(e)
		}
	case map[string]any:
		for key, e := range v {
			if s, ok := e.(string); ok && (key == "traceId" || key == "spanId" || key == "parentSpanId") {
				b, _ := base64.StdEncoding.DecodeString(s)
				v[key] = hex.EncodeToString(b)
				continue
			}
			hexIDs(e)
		}
	}
}

// attr returns the text of an attribute.
func attr(all []*common.KeyValue, key string) (text string) {
	n := 0
	for _, a := range all {
		if a.Key == key {
			text = value(a.Value)
			n++
		}
	}
	if n > 1 {
		panic(fmt.Sprintf("%d attributes %s", n, key))
	}
	return text
}

// value returns a value with its type, except that of text.
func value(v *common.AnyValue) string {
	switch x := v.GetValue().(type) {
	case nil:
		return "null"
	case *common.AnyValue_StringValue:
		return x.StringValue
	case *common.AnyValue_IntValue:
		return fmt.Sprintf("int %d", x.IntValue)
	case *common.AnyValue_BoolValue:
		return fmt.Sprintf("bool %t", x.BoolValue)
	case *common.AnyValue_BytesValue:
		return fmt.Sprintf("bytes %x", x.BytesValue)
	case *common.AnyValue_ArrayValue:
		s := "["
		for _, e := range x.ArrayValue.Values {
			s += value(e) + " "
		}
		return s + "]"
	case *common.AnyValue_KvlistValue:
		s := "{"
		for _, e := range x.KvlistValue.Values {
			s += e.Key + "=" + value(e.Value) + " "
		}
		return s + "}"
	}
	return "?"
}
