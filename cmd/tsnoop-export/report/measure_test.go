package report_test

import (
	"os"
	"testing"
)

// TestBrowserPictures takes pictures of a page for TSNOOP_SHOTS, a directory to look at them. TSNOOP_PAGE
// names the page, if that is not to be the one of the other tests.
func TestBrowserPictures(t *testing.T) {
	if os.Getenv("TSNOOP_SHOTS") == "" {
		t.Skip("TSNOOP_SHOTS names no directory for pictures")
	}
	url := "file://" + os.Getenv("TSNOOP_PAGE")
	b := newBrowser(t)
	b.window(1280, 1000, "light")
	b.open(url + "#q=" + os.Getenv("TSNOOP_QUERY"))
	eval[bool](b, "(document.querySelector('#rows .row')?.click(), true)")
	b.picture("filtered")
	var pdf struct{ Data []byte }
	b.do("Page.printToPDF", map[string]any{"printBackground": true}, &pdf)
	if err := os.WriteFile(os.Getenv("TSNOOP_SHOTS")+"/printed.pdf", pdf.Data, 0o644); err != nil {
		t.Error(err)
	}
	b.do("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	b.open("about:blank")
	b.open(url)
	eval[bool](b, "dispatchEvent(new Event('beforeprint'))")
	b.picture("printed")
	eval[bool](b, "(scrollTo(0, 900), true)")
	b.picture("printed-more")
	b.do("Emulation.setEmulatedMedia", map[string]any{"media": ""}, nil)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []string{"1280", "400"} {
			if width == "1280" {
				b.window(1280, 1000, scheme)
			} else {
				b.window(400, 860, scheme)
			}
			b.open("about:blank")
			b.open(url)
			name := scheme + "-" + width
			b.picture(name + "-top")
			eval[bool](b, "(document.getElementById('bar').scrollIntoView(), true)")
			b.picture(name + "-calls")
			eval[bool](b, "(document.getElementById('list').scrollIntoView({block: 'end'}), true)")
			b.picture(name + "-list")
			eval[bool](b, "(document.querySelector('#rows .row:nth-child(3)').click(), true)")
			b.picture(name + "-detail")
			b.key("Escape")
			if width == "400" && eval[int](b, "document.documentElement.scrollWidth") > 400 {
				t.Errorf("%s: the page is %d wide", name, eval[int](b, "document.documentElement.scrollWidth"))
			}
		}
	}
}

// spent returns for what the page's thread has used a CPU, in ms.
func spent(b *browser) map[string]float64 {
	var r struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	b.do("Performance.getMetrics", nil, &r)
	all := map[string]float64{}
	for _, m := range r.Metrics {
		all[m.Name] = m.Value * 1000
	}
	return all
}

// measure prints figures, which are not asserted: hosts differ.
func measure(t *testing.T, b *browser, url string) {
	b.open("about:blank")
	b.do("Performance.enable", map[string]any{"timeDomain": "threadTicks"}, nil)
	before := spent(b)
	cpu := func(what string, n float64) {
		now := spent(b)
		each := func(name string) float64 { return (now[name] - before[name]) / n }
		t.Logf("%s: CPU %.1f ms: scripts %.1f, layout %.1f, styles %.1f", what, each("TaskDuration"), each("ScriptDuration"), each("LayoutDuration"), each("RecalcStyleDuration"))
		before = now
	}
	b.open(url)
	t.Log(eval[string](b, `JSON.stringify({
		firstPaint: performance.getEntriesByType('paint').map((p) => [p.name, p.startTime]),
		html: performance.getEntriesByType('navigation')[0].domInteractive,
		ready: performance.getEntriesByName('ready')[0].startTime })`))
	cpu("opening", 1)
	t.Log(eval[string](b, `new Promise((done) => {
		const list = document.getElementById('list'), frames = [];
		let last = performance.now(), n = 0;
		const step = (now) => {
			frames.push(now - last);
			last = now;
			list.scrollTop += list.scrollHeight / 200;
			if (++n < 200) return requestAnimationFrame(step);
			frames.sort((a, b) => a - b);
			done('scroll of the list, 200 frames: median ' + frames[100].toFixed(1) + ' ms, 99th ' + frames[198].toFixed(1) + ' ms, slowest ' + frames[199].toFixed(1) + ' ms');
		};
		requestAnimationFrame(step);
	})`))
	cpu("a frame of the list", 200)
	t.Log(eval[string](b, `new Promise((done) => {
		const lanes = document.getElementById('lanes'), frames = [];
		let last = performance.now(), n = 0;
		const step = (now) => {
			frames.push(now - last);
			last = now;
			lanes.dispatchEvent(new KeyboardEvent('keydown', { key: n < 50 ? '+' : n < 100 ? 'ArrowRight' : '-' }));
			if (++n < 150) return requestAnimationFrame(step);
			frames.sort((a, b) => a - b);
			done('zoom and pan of the timeline, 150 frames: median ' + frames[75].toFixed(1) + ' ms, 99th ' + frames[148].toFixed(1) + ' ms, slowest ' + frames[149].toFixed(1) + ' ms');
		};
		requestAnimationFrame(step);
	})`))
	cpu("a frame of the timeline", 150)
	t.Log(eval[string](b, `(() => {
		const input = document.getElementById('filter'), took = [];
		for (const text of ['file-4999', 'errno:eagain dur>5us', 'func:function_3 -comm:task3', '']) {
			const start = performance.now();
			input.value = text;
			input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
			took.push(JSON.stringify(text) + ' ' + (performance.now() - start).toFixed(0) + ' ms');
		}
		return 'filters: ' + took.join(', ') + '; JS heap ' + (performance.memory.usedJSHeapSize / 1e6).toFixed(0) + ' MB';
	})()`))
}
