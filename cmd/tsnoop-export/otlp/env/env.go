// Package env reads the variables OTEL_EXPORTER_OTLP_*, which all programs that send OTLP
// understand: where to send each signal, and how.
//
// https://opentelemetry.io/docs/specs/otel/protocol/exporter
package env

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/cmd/program"
)

// A Signal is a kind of telemetry. Each has requests of its own.
type Signal int

const (
	Traces Signal = iota
	Logs
	Metrics
	Signals int = iota // how many there are
)

// String returns the signal as in paths: "traces".
func (s Signal) String() string { return [...]string{"traces", "logs", "metrics"}[s] }

// A Target is where one signal is sent, and how.
type Target struct {
	URL     string
	Header  http.Header
	Timeout time.Duration // of one request
	Gzip    bool
	JSON    bool   // not protobuf
	CA      string // file with certificates to trust; "" for those of the host
	Cert    string // file with the certificate of this client, "" for none
	Key     string // file with its key
}

// Settings are the targets of all signals.
type Settings [Signals]Target

// Set reports whether a variable says where to send something.
func Set(getenv func(string) string) bool {
	for _, name := range []string{"", "TRACES_", "LOGS_", "METRICS_"} {
		if getenv("OTEL_EXPORTER_OTLP_"+name+"ENDPOINT") != "" {
			return true
		}
	}
	return false
}

// Off reports whether a signal is not to be sent, as OTEL_LOGS_EXPORTER=none says.
func Off(getenv func(string) string, s Signal) bool {
	return getenv("OTEL_"+strings.ToUpper(s.String())+"_EXPORTER") == "none"
}

// Read reads the variables. A base that is not "" is the URL below which each signal has its
// path, whatever variables say.
func Read(getenv func(string) string, base string) (*Settings, error) {
	all := &Settings{}
	for s := range all {
		r := reader{getenv: getenv, signal: Signal(s)}
		all[s] = r.target(base)
		if r.err != nil {
			return nil, r.err
		}
	}
	return all, nil
}

// A reader reads the variables of one signal, until the first that is invalid.
type reader struct {
	getenv func(string) string
	signal Signal
	err    error
}

// get returns the value of a variable, and its name: that of the signal if it is set.
func (r *reader) get(what string) (name, value string) {
	own := "OTEL_EXPORTER_OTLP_" + strings.ToUpper(r.signal.String()) + "_" + what
	if value = strings.TrimSpace(r.getenv(own)); value != "" {
		return own, value
	}
	name = "OTEL_EXPORTER_OTLP_" + what
	return name, strings.TrimSpace(r.getenv(name))
}

// fail notes that a variable is invalid.
func (r *reader) fail(name, value, want string) {
	if r.err == nil {
		r.err = program.Errorf("set it to "+want, "%s is %q", name, value)
	}
}

func (r *reader) target(base string) Target {
	t := Target{URL: r.url(base), Timeout: 10 * time.Second, Header: r.header()}
	_, t.CA = r.get("CERTIFICATE")
	_, t.Cert = r.get("CLIENT_CERTIFICATE")
	_, t.Key = r.get("CLIENT_KEY")
	if name, v := r.get("TIMEOUT"); v != "" {
		ms, err := strconv.ParseUint(v, 10, 31)
		if err != nil || ms == 0 {
			r.fail(name, v, "a number of milliseconds")
		}
		t.Timeout = time.Duration(ms) * time.Millisecond
	}
	switch name, v := r.get("COMPRESSION"); v {
	case "", "none":
	case "gzip":
		t.Gzip = true
	default:
		r.fail(name, v, "gzip or none")
	}
	switch name, v := r.get("PROTOCOL"); v {
	case "", "http/protobuf":
	case "http/json":
		t.JSON = true
	default:
		r.fail(name, v, "http/protobuf or http/json, with the endpoint for them (port 4318)")
	}
	if (t.Cert == "") != (t.Key == "") {
		name, v := r.get("CLIENT_CERTIFICATE")
		r.fail(name, v, "a file, and OTEL_EXPORTER_OTLP_CLIENT_KEY also, or neither")
	}
	return t
}

// url returns where the signal is sent, "" if nothing says that.
func (r *reader) url(base string) string {
	name, v := "the URL", base
	if base == "" {
		name, v = r.get("ENDPOINT")
	}
	if v == "" {
		return ""
	}
	u, err := url.Parse(v)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		r.fail(name, v, "http://HOST:4318 or https://HOST:4318")
		return ""
	}
	if u.Port() == "4317" {
		r.fail(name, v, "port 4318, which takes OTLP over HTTP: 4317 is for gRPC")
	}
	if name != "the URL" && name != "OTEL_EXPORTER_OTLP_ENDPOINT" { // that of a signal is whole
		u.Path = cmp.Or(u.Path, "/")
		return u.String()
	}
	return u.JoinPath("v1", r.signal.String()).String()
}

// header returns the headers, which are written KEY=VALUE,KEY=VALUE with %-escapes.
func (r *reader) header() http.Header {
	name, v := r.get("HEADERS")
	all := http.Header{}
	for pair := range strings.SplitSeq(v, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !isToken(key) || strings.ContainsAny(value, "\r\n\x00") {
			r.fail(name, "(not shown)", "KEY=VALUE,KEY=VALUE, where a comma in a value is %2C")
			return nil
		}
		all.Add(key, value)
	}
	return all
}

// isToken reports whether s can be the name of a header.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// Attributes returns the attributes of resources that OTEL_RESOURCE_ATTRIBUTES and
// OTEL_SERVICE_NAME ask for, as pairs.
func Attributes(getenv func(string) string) (all [][2]string) {
	const name = "service.name"
	service := getenv("OTEL_SERVICE_NAME")
	for pair := range strings.SplitSeq(getenv("OTEL_RESOURCE_ATTRIBUTES"), ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		switch {
		case !ok || key == "":
		case key == name:
			service = cmp.Or(service, value)
		default:
			all = append(all, [2]string{key, value})
		}
	}
	return append(all, [2]string{name, cmp.Or(service, "tsnoop")})
}
