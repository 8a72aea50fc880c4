package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/report"
)

// saved writes a page to a file and returns its address.
func saved(t testing.TB, page string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

const (
	rowCount = "document.querySelectorAll('#rows .row').length"
	listed   = "document.getElementById('count').textContent"
	details  = "document.getElementById('detail').innerText"
	hidden   = "document.getElementById('detail').hidden"
)

// A browser shows rows for calls, chooses them by the filter, and opens the details of a call, by
// keys, the mouse and the address, all without a network.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	url := saved(t, pageOf(t, calls, report.Options{}, nil))
	b.window(1280, 900, "light")
	b.open(url)
	if n, text := eval[int](b, rowCount), eval[string](b, listed); n != 6 || text != "6 calls" {
		t.Errorf("%d rows, %q", n, text)
	}
	first := eval[string](b, "document.querySelector('#rows .row').innerText")
	if want := "0.001000\n0\ndd-7\nvfs_read(file=\"/etc/passwd\", count=4096) = -2 (ENOENT)\n1.5us"; first != want {
		t.Errorf("the first row is %q, want %q", first, want)
	}
	b.key("/")
	for _, tt := range []struct{ filter, want string }{
		{"errno:enoent", "1 of 6 calls"},
		{"comm:sh -func:vfs_read", "2 of 6 calls"},
		{"is:unfinished", "1 of 6 calls"},
		{"is:fault", "1 of 6 calls"},
		{"stack:ksys", "1 of 6 calls"},
		{"dur>=2us", "2 of 6 calls"},
		{"at<1.5ms", "1 of 6 calls"},
		{"tid:7 cpu:0 pid:6", "1 of 6 calls"},
		{`"etc/passwd"`, "1 of 6 calls"},
		{"nothing has this", "0 of 6 calls"},
	} {
		eval[bool](b, "(document.getElementById('filter').select(), true)")
		b.typed(tt.filter)
		b.key("Enter")
		if got := eval[string](b, listed); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.filter, got, tt.want)
		}
	}
	b.typed(" is:what")
	b.key("Enter")
	if got := eval[string](b, "document.getElementById('filter-note').textContent"); got != "is: is followed by failed, fault, unfinished, orphan" {
		t.Errorf("the error of a filter is %q", got)
	}
	b.key("Escape")

	eval[bool](b, "(document.getElementById('list').focus(), true)")
	b.key("ArrowDown")
	b.key("ArrowDown")
	b.key("Enter")
	got := eval[string](b, details)
	for _, want := range []string{"openat2", "1970-01-01 00:00:00.002000001 UTC", "2001000 ns", "2us (2,000 ns)", "sh, thread 8", "O_CREAT", "const char *", `"a\tb"`,
		"how->flags", "NULL", "ksys_open", "entry [m]", "EAGAIN", "{\n  \"x\": 18446744073709551615,\n  \"y\": [1, 2, \"a,]\"]\n}"} {
		if !strings.Contains(got, want) {
			t.Errorf("the details lack %q: %q", want, got)
		}
	}
	if hash := eval[string](b, "location.hash"); hash != "#call=1" {
		t.Errorf("the address has %q", hash)
	}
	b.key("Escape")
	if !eval[bool](b, hidden) || eval[string](b, "document.activeElement.id") != "list" {
		t.Error("Escape does not close the details")
	}

	// The bar of a call in the timeline: its lane is below the axis.
	box := eval[struct{ X, Y, Width float64 }](b, "(document.getElementById('lanes').scrollIntoView(), document.getElementById('time').getBoundingClientRect().toJSON())")
	b.click(box.X+170+(box.Width-170)*0.0101, box.Y+22+8)
	b.wait("!" + hidden)
	if got := eval[string](b, details); !strings.Contains(got, "ENOENT") {
		t.Errorf("the details of a bar are %q", got)
	}
	b.open(url + "?#q=func:openat2&call=1")
	if got, text := eval[string](b, details), eval[string](b, listed); !strings.Contains(got, "O_CREAT") || text != "1 of 6 calls" {
		t.Errorf("an address shows %q of %q", got, text)
	}
	b.requests = nil
	b.open(url)
	b.checkQuiet(url)

	// Paper has rows that need no scrolling, and a narrow window needs none to the side.
	eval[bool](b, "dispatchEvent(new Event('beforeprint'))")
	if n := eval[int](b, "document.querySelectorAll('#printed .row').length"); n != 6 {
		t.Errorf("%d rows are printed", n)
	}
	eval[bool](b, "dispatchEvent(new Event('afterprint'))")
	for _, scheme := range []string{"light", "dark"} {
		b.window(400, 800, scheme)
		b.key("j")
		b.key("Enter")
		if n := eval[int](b, "document.documentElement.scrollWidth"); n > 400 {
			t.Errorf("the page is %d wide", n)
		}
	}
}

// Names that are markup, scripts or control characters are shown as text by the browser.
func TestBrowserHostile(t *testing.T) {
	b := newBrowser(t)
	url := saved(t, pageOf(t, hostileLines(), report.Options{}, nil))
	b.window(1280, 900, "dark")
	b.open(url)
	eval[bool](b, "(document.getElementById('list').focus(), true)")
	for range hostile {
		b.key("j")
		b.key("Enter")
	}
	text := eval[string](b, "document.body.innerText")
	for _, h := range hostile {
		if !strings.Contains(text, h.want) {
			t.Errorf("the page has no %q", h.want)
		}
	}
	if n := eval[int](b, "document.querySelectorAll('img, iframe, object, a, link, form').length"); n != 0 {
		t.Errorf("%d elements were made", n)
	}
	if n := eval[int](b, "document.scripts.length"); n != 1 {
		t.Errorf("there are %d scripts", n)
	}
	b.checkQuiet(url)

	// Were there a hole, the policy would still stop it.
	if eval[bool](b, `new Promise((done) => {
		const s = document.createElement('script'); s.textContent = 'window.harmed = true'; document.body.append(s);
		const i = document.createElement('div'); i.innerHTML = '<img src=x onerror="window.harmed = true">'; document.body.append(i);
		fetch('http://192.0.2.1/').then(() => { window.harmed = true; }, () => {}).finally(() => setTimeout(() => done(window.harmed === true), 100));
	})`) {
		t.Error("the policy allows scripts that the page does not contain, or a network")
	}
}

// A list of a hundred thousand calls has only the rows in view.
func TestBrowserMany(t *testing.T) {
	b := newBrowser(t)
	url := saved(t, pageOf(t, manyLines(100_000), report.Options{}, nil))
	b.window(1280, 900, "light")
	b.open(url)
	if text := eval[string](b, listed); text != "100,000 calls" {
		t.Errorf("%q", text)
	}
	eval[bool](b, "(document.getElementById('list').focus(), true)")
	b.key("End")
	b.wait("document.querySelector('#rows [aria-selected=true]') !== null")
	if got := eval[string](b, "document.querySelector('#rows [aria-selected=true]').innerText"); !strings.Contains(got, "count=99999") {
		t.Errorf("the last row is %q", got)
	}
	if n := eval[int](b, rowCount); n == 0 || n > 80 {
		t.Errorf("there are %d rows", n)
	}
	if os.Getenv("TSNOOP_SHOTS") != "" {
		measure(t, b, url)
	}
	b.checkQuiet(url)
}
