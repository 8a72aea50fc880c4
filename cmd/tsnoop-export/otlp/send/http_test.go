package send

import (
	"compress/gzip"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
)

// sendTo sends a span to a server as variables ask for.
func sendTo(t *testing.T, url string, vars map[string]string, retry time.Duration) Counts {
	t.Helper()
	settings, err := env.Read(func(name string) string { return vars[name] }, url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(settings, Options{Context: t.Context(), Agent: "tsnoop-export/v1", Most: 1 << 20, Wait: true, Retry: retry, Workers: 1, Warn: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Send(env.Traces, []byte{0x0a, 0}, 1); err != nil {
		t.Fatal(err)
	}
	return c.Close()
}

// A request has what variables ask for.
func TestRequest(t *testing.T) {
	for _, tt := range []struct {
		vars map[string]string
		body string
		form string
	}{
		{map[string]string{}, "\x0a\x00", "application/x-protobuf"},
		{map[string]string{"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_HEADERS": "a=b,authorization=Basic%20x%3D"}, "\x0a\x00", "application/x-protobuf"},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, `{"resourceSpans":[{}]}`, "application/json"},
	} {
		var got *http.Request
		var body []byte
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r
			from := io.Reader(r.Body)
			if r.Header.Get("Content-Encoding") == "gzip" {
				from, _ = gzip.NewReader(r.Body)
			}
			body, _ = io.ReadAll(from)
		}))
		defer s.Close()
		if n := sendTo(t, s.URL+"/base", tt.vars, 0); n.Missing() != 0 {
			t.Fatalf("%v: %+v", tt.vars, n)
		}
		if string(body) != tt.body || got.URL.Path != "/base/v1/traces" || got.Header.Get("Content-Type") != tt.form || got.Header.Get("User-Agent") != "tsnoop-export/v1" {
			t.Errorf("%v: %q %v", tt.vars, body, got.Header)
		}
		if tt.vars["OTEL_EXPORTER_OTLP_HEADERS"] != "" && (got.Header.Get("A") != "b" || got.Header.Get("Authorization") != "Basic x=") {
			t.Errorf("%v: %v", tt.vars, got.Header)
		}
	}
}

// A certificate is trusted if a variable names it, and the failure is reported at once if not.
func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := sendTo(t, s.URL, map[string]string{"OTEL_EXPORTER_OTLP_CERTIFICATE": ca}, 0); n.Missing() != 0 {
		t.Errorf("%+v", n)
	}
	if n := sendTo(t, s.URL, nil, time.Hour); n.GivenUp != 1 || n.Retries != 0 || !strings.Contains(n.Cause, "certificate") {
		t.Errorf("%+v", n)
	}
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer plain.Close()
	if n := sendTo(t, strings.Replace(plain.URL, "http:", "https:", 1), nil, time.Hour); n.GivenUp != 1 || n.Retries != 0 {
		t.Errorf("%+v", n)
	}
}

// A connection that is refused, or ends in the middle, is tried again.
func TestConnections(t *testing.T) {
	tries := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			panic(http.ErrAbortHandler)
		}
	}))
	if n := sendTo(t, s.URL, nil, time.Hour); n.Missing() != 0 || n.Retries != 1 {
		t.Errorf("%+v", n)
	}
	s.Close()
	if n := sendTo(t, s.URL, nil, 0); n.GivenUp != 1 || !strings.Contains(n.Cause, "connection refused") {
		t.Errorf("%+v", n)
	}
}
