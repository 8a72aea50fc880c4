package read

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestAside takes the events of one stream aside, and yields those of another one.
func TestAside(t *testing.T) {
	for _, tt := range []struct{ what, aside, yielded, want string }{
		{"order", "10 20 40", "15 30 | 41", "(10) 15 (20) 30 (40) 41"},
		{"equal times", "10 20", "10 20", "(10) 10 (20) 20"},
		{"loss, known before earlier events", "10 | +5 40", "9 15 30 50", "9 (10) lost<40 15 30 (40) 50"},
		{"loss in the end", "10 | +5", "9 15", "9 (10) lost 15"},
		{"too short", "10 20- 30", "9 25", "9 (10) lost<20 25 (30)"},
		{"damaged", "10 !", "9 25", "9 (10) lost 25"},
		{"unknown events", "10? 20?", "15? 30", "(10) (20) 30"},
	} {
		for _, layout := range testLayouts {
			var got []string
			w := &pageWriter{Layout: layout}
			m := newMerger(Options{Layout: layout, Formats: knownFormats, Damaged: func(cpu int, err error) { t.Errorf("%s: CPU %d: %v", tt.what, cpu, err) },
				Aside: &Aside{
					Event: func(id, tid int, time uint64, data []byte) {
						if id != knownID && id != otherID || tid == 0 || len(data) < commonSize {
							t.Errorf("%s: event %d of %d: %x", tt.what, id, tid, data)
						}
						got = append(got, fmt.Sprintf("(%d)", time))
					},
					Lost: func(before uint64) {
						text := "lost"
						if before != noLimit {
							text = fmt.Sprintf("lost<%d", before)
						}
						got = append(got, text)
					},
				}})
			for i, text := range []string{tt.yielded, tt.aside} {
				var pages [][]byte
				for page := range strings.SplitSeq(text, "|") {
					pages = append(pages, w.page(t, page))
				}
				m.add(&stream{cpu: 0, aside: i == 1, next: func() ([]byte, error) {
					if len(pages) == 0 {
						return nil, io.EOF
					}
					b := pages[0]
					pages = pages[1:]
					return b, nil
				}})
			}
			if m.allAside() {
				t.Errorf("%s: all are aside", tt.what)
			}
			for len(m.heap) > 0 {
				m.emit(noLimit, func(e *tracefs.Event, err error) bool {
					got = append(got, fmt.Sprint(e.Time))
					return !errors.Is(err, io.EOF)
				})
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("%s: got %s, want %s", tt.what, text, tt.want)
			}
		}
	}
}
