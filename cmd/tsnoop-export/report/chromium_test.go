package report_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A browser is a page in a Chromium without a window, which is driven by its protocol over
// a pipe.
type browser struct {
	t       testing.TB
	to      *os.File
	session string
	last    int
	answers map[int]chan answer
	send    chan struct{} // one at a time

	requests []string // that were sent, and the page itself
	problems []string // errors of scripts, and what was forbidden
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// needChromium returns the program. Only make test-fleet, which installs it, takes the minute
// that these tests need.
func needChromium(t testing.TB) string {
	t.Helper()
	if os.Getenv("TSNOOP_FLEET") == "" {
		t.Skip("run make test-fleet")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func newBrowser(t testing.TB) *browser {
	program := needChromium(t)
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	cmd := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	cmd.ExtraFiles = []*os.File{in, out} // its descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	b := &browser{t: t, to: to, answers: map[int]chan answer{}, send: make(chan struct{}, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.read(from)
	}()
	t.Cleanup(func() {
		b.session = ""
		b.do("Browser.close", nil, nil)
		cmd.Wait()
		cancel()
		to.Close()
		<-done
		from.Close()
	})
	b.attach()
	return b
}

// attach opens a page.
func (b *browser) attach() {
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	b.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log", "Audits"} {
		b.do(domain+".enable", nil, nil)
	}
}

// read takes messages, each of which ends with a zero byte.
func (b *browser) read(from *os.File) {
	r := bufio.NewReader(from)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.send <- struct{}{}
			for id, to := range b.answers {
				close(to)
				delete(b.answers, id)
			}
			<-b.send
			return
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			answer
		}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			continue
		}
		b.send <- struct{}{}
		if to := b.answers[m.ID]; m.ID > 0 && to != nil {
			to <- m.answer
			delete(b.answers, m.ID)
		}
		b.event(m.Method, m.Params)
		<-b.send
	}
}

func (b *browser) event(method string, params json.RawMessage) {
	switch method {
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		json.Unmarshal(params, &p)
		b.requests = append(b.requests, p.Request.URL)
	case "Runtime.exceptionThrown", "Log.entryAdded", "Audits.issueAdded", "Page.javascriptDialogOpening", "Runtime.consoleAPICalled":
		b.problems = append(b.problems, method+string(params))
	}
}

// do sends a command and waits for its answer.
func (b *browser) do(method string, params, result any) {
	b.t.Helper()
	if params == nil {
		params = struct{}{}
	}
	to := make(chan answer, 1)
	b.send <- struct{}{}
	b.last++
	id := b.last
	b.answers[id] = to
	<-b.send
	message := map[string]any{"id": id, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	var a answer
	ok := false
	select {
	case a, ok = <-to:
	case <-time.After(3 * time.Minute):
		b.t.Fatalf("%s: no answer", method)
	}
	switch {
	case method == "Browser.close":
	case !ok:
		b.t.Fatalf("%s: the browser has ended", method)
	case a.Error != nil:
		b.t.Fatalf("%s: %s", method, a.Error.Message)
	case result != nil:
		if err := json.Unmarshal(a.Result, result); err != nil {
			b.t.Fatal(err)
		}
	}
}

// open opens a page and waits until its program has shown the calls. A navigation is answered when
// the new page has replaced the one before.
func (b *browser) open(url string) {
	b.t.Helper()
	b.do("Page.navigate", map[string]any{"url": url}, nil)
	if url == "about:blank" {
		return
	}
	b.wait("document.documentElement?.dataset.ready !== undefined || document.getElementById('failed') !== null")
}

// eval returns the value of an expression.
func eval[T any](b *browser, expression string) (v T) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.do("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails.Exception.Description)
	}
	if len(r.Result.Value) > 0 {
		if err := json.Unmarshal(r.Result.Value, &v); err != nil {
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
	return v
}

// wait waits until an expression is true: pages are drawn when the browser finds time for it.
func (b *browser) wait(expression string) {
	b.t.Helper()
	if !eval[bool](b, `new Promise((done) => { let n = 0; const look = () => (`+expression+`) ? done(true) : ++n > 6000 ? done(false) : setTimeout(look, 10); look(); })`) {
		b.t.Fatalf("waited in vain for %s", expression)
	}
}

// key presses a key.
func (b *browser) key(name string) {
	b.t.Helper()
	codes := map[string]int{"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "End": 35, "Home": 36, "PageDown": 34, "Tab": 9}
	event := map[string]any{"type": "keyDown", "key": name, "windowsVirtualKeyCode": codes[name]}
	if codes[name] == 0 {
		event["text"] = name
	}
	b.do("Input.dispatchKeyEvent", event, nil)
	event["type"] = "keyUp"
	delete(event, "text")
	b.do("Input.dispatchKeyEvent", event, nil)
}

// typed writes text where the focus is.
func (b *browser) typed(text string) { b.do("Input.insertText", map[string]any{"text": text}, nil) }

// click clicks on a place of the window.
func (b *browser) click(x, y float64) {
	b.t.Helper()
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		event := map[string]any{"type": kind, "x": x, "y": y, "clickCount": 1, "button": "left"}
		if kind == "mouseMoved" {
			event["button"], event["clickCount"] = "none", 0
		}
		b.do("Input.dispatchMouseEvent", event, nil)
	}
}

// window sets the size of the window, and light or dark.
func (b *browser) window(width, height int, scheme string) {
	b.t.Helper()
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// picture writes what is in the window to a file of the directory of TSNOOP_SHOTS, if that is set.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("TSNOOP_SHOTS")
	if dir == "" {
		return
	}
	eval[bool](b, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
	var r struct{ Data string }
	b.do("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	png, err := base64.StdEncoding.DecodeString(r.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// checkQuiet fails if the page has loaded anything but itself, or a script of it has failed.
func (b *browser) checkQuiet(url string) {
	b.t.Helper()
	b.send <- struct{}{}
	defer func() { <-b.send }()
	for _, r := range b.requests {
		if file, _, _ := strings.Cut(r, "#"); file != url {
			b.t.Errorf("it has requested %.200s", r)
		}
	}
	for _, p := range b.problems {
		b.t.Errorf("problem: %.1000s", p)
	}
	if len(b.requests) == 0 {
		b.t.Error(fmt.Errorf("no request was seen, also not that of %s", url))
	}
}
