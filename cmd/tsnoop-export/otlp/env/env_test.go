package env

import (
	"strings"
	"testing"
	"time"
)

func getenv(vars string) func(string) string {
	all := map[string]string{}
	for _, v := range strings.Split(vars, " ") {
		name, value, _ := strings.Cut(v, "=")
		all["OTEL_"+name] = value
	}
	return func(name string) string { return all[name] }
}

func TestURLs(t *testing.T) {
	for _, tt := range []struct{ base, vars, want string }{
		{"http://h:4318", "", "http://h:4318/v1/traces http://h:4318/v1/logs http://h:4318/v1/metrics"},
		{"http://h/api/v1/otlp/", "EXPORTER_OTLP_ENDPOINT=http://i:1", "http://h/api/v1/otlp/v1/traces http://h/api/v1/otlp/v1/logs http://h/api/v1/otlp/v1/metrics"},
		{"", "EXPORTER_OTLP_ENDPOINT=https://i:1", "https://i:1/v1/traces https://i:1/v1/logs https://i:1/v1/metrics"},
		{"", "EXPORTER_OTLP_ENDPOINT=https://i:1 EXPORTER_OTLP_LOGS_ENDPOINT=http://j", "https://i:1/v1/traces http://j/ https://i:1/v1/metrics"},
		{"", "EXPORTER_OTLP_TRACES_ENDPOINT=http://j/x", "http://j/x  "},
	} {
		all, err := Read(getenv(tt.vars), tt.base)
		if err != nil {
			t.Fatal(err)
		}
		if got := all[Traces].URL + " " + all[Logs].URL + " " + all[Metrics].URL; got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.base, tt.vars, got, tt.want)
		}
		if Set(getenv(tt.vars)) != (tt.vars != "") {
			t.Errorf("%q: Set is wrong", tt.vars)
		}
	}
}

func TestSettings(t *testing.T) {
	all, err := Read(getenv("EXPORTER_OTLP_HEADERS=a=1,b=%2C%20 EXPORTER_OTLP_LOGS_HEADERS=c=3 EXPORTER_OTLP_TIMEOUT=250 EXPORTER_OTLP_TRACES_COMPRESSION=gzip EXPORTER_OTLP_METRICS_PROTOCOL=http/json EXPORTER_OTLP_CERTIFICATE=ca"), "http://h")
	if err != nil {
		t.Fatal(err)
	}
	traces, logs, metrics := all[Traces], all[Logs], all[Metrics]
	if traces.Header.Get("a") != "1" || traces.Header.Get("b") != ", " || logs.Header.Get("a") != "" || logs.Header.Get("c") != "3" {
		t.Errorf("headers: %v %v", traces.Header, logs.Header)
	}
	if traces.Timeout != 250*time.Millisecond || !traces.Gzip || logs.Gzip || traces.JSON || !metrics.JSON || logs.CA != "ca" {
		t.Errorf("%+v %+v", traces, metrics)
	}
}

func TestInvalid(t *testing.T) {
	for _, tt := range []struct{ base, vars, want string }{
		{"http://h:4317", "", `the URL is "http://h:4317"`},
		{"ftp://h", "", `the URL is "ftp://h"`},
		{"http://", "", `the URL is "http://"`},
		{"", "EXPORTER_OTLP_ENDPOINT=h:4318", `OTEL_EXPORTER_OTLP_ENDPOINT is "h:4318"`},
		{"http://h", "EXPORTER_OTLP_TIMEOUT=10s", `OTEL_EXPORTER_OTLP_TIMEOUT is "10s"`},
		{"http://h", "EXPORTER_OTLP_LOGS_PROTOCOL=grpc", `OTEL_EXPORTER_OTLP_LOGS_PROTOCOL is "grpc"`},
		{"http://h", "EXPORTER_OTLP_COMPRESSION=zstd", `OTEL_EXPORTER_OTLP_COMPRESSION is "zstd"`},
		{"http://h", "EXPORTER_OTLP_HEADERS=secret", `OTEL_EXPORTER_OTLP_HEADERS is "(not shown)"`},
		{"http://h", "EXPORTER_OTLP_HEADERS=a=%0d%0ab", `OTEL_EXPORTER_OTLP_HEADERS is "(not shown)"`},
		{"http://h", "EXPORTER_OTLP_CLIENT_KEY=k", `OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE is ""`},
	} {
		if _, err := Read(getenv(tt.vars), tt.base); err == nil || err.Error() != tt.want {
			t.Errorf("%q %q: error is %v, want %s", tt.base, tt.vars, err, tt.want)
		}
	}
}

func TestAttributes(t *testing.T) {
	for _, tt := range []struct{ vars, want string }{
		{"", "service.name=tsnoop"},
		{"SERVICE_NAME=a RESOURCE_ATTRIBUTES=service.name=b,deployment.environment=x%20y", "deployment.environment=x y service.name=a"},
		{"RESOURCE_ATTRIBUTES=service.name=b,nonsense", "service.name=b"},
	} {
		var got []string
		for _, a := range Attributes(getenv(tt.vars)) {
			got = append(got, a[0]+"="+a[1])
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: %q, want %q", tt.vars, s, tt.want)
		}
	}
}
