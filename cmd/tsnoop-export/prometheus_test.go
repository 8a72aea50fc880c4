package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fetch decodes the JSON at a URL.
func fetch(t *testing.T, url string, to any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(to); err != nil {
		t.Fatal(err)
	}
}

// asked calls do with the labels and the value of each series that a query finds.
func asked(t *testing.T, server, query string, do func(labels map[string]string, value float64)) {
	t.Helper()
	var r struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	fetch(t, server+"/api/v1/query?query="+url.QueryEscape(query), &r)
	for _, one := range r.Data.Result {
		text, _ := one.Value[1].(string)
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		do(one.Metric, x)
	}
}

// Prometheus counts the calls that --summary counts, also those of each error, and its native
// histograms have the same sums.
func TestPrometheus(t *testing.T) {
	prometheus, p := installed(t, "prometheus"), build(t)
	for _, name := range fleetRecordings(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			dir, n := t.TempDir(), port(t)
			if err := os.WriteFile(dir+"/config.yaml", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			server := fmt.Sprintf("http://127.0.0.1:%d", n)
			serve(t, server+"/-/ready", prometheus, "--config.file="+dir+"/config.yaml", "--storage.tsdb.path="+dir+"/data",
				"--storage.tsdb.retention.time=100y", "--web.enable-otlp-receiver", "--web.listen-address="+server[len("http://"):])
			p.run(t, "tsnoop-export", "otlp", "--metrics", "1s", "--by", "comm", server+"/api/v1/otlp", name)
			got := map[string]*summary{}
			asked(t, server, `last_over_time(tsnoop_calls_total[100y])`, func(labels map[string]string, value float64) {
				s := get(got, labels["code_function_name"])
				s.calls += int64(value)
				if e := labels["error_type"]; e != "" {
					s.errors[e] += int64(value)
				}
			})
			asked(t, server, `histogram_count(last_over_time(tsnoop_call_duration_seconds[100y]))`, func(labels map[string]string, value float64) {
				get(got, labels["code_function_name"]).timed += int64(value)
			})
			asked(t, server, `histogram_sum(last_over_time(tsnoop_call_duration_seconds[100y]))`, func(labels map[string]string, value float64) {
				get(got, labels["code_function_name"]).total += int64(math.Round(value * 1e9))
			})
			if diff := cmp.Diff(summaries(t, p, name), got, cmp.AllowUnexported(summary{})); diff != "" || len(got) == 0 {
				t.Errorf("%s", diff)
			}
			for f, s := range got {
				t.Logf("%s: %s: %d calls, %d durations of %d ns", filepath.Base(name), f, s.calls, s.timed, s.total)
			}
		})
	}
}
