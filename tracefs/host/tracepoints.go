package host

import (
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
)

// tracepoints returns the events of the kernel's own tracepoints.
func (h *Host) tracepoints() *tracepoint.Set {
	known := map[string][]string{}
	return &tracepoint.Set{
		Systems: sync.OnceValue(h.FS.Systems),
		Events: func(system string) []string {
			events, ok := known[system]
			if !ok {
				events = h.FS.SystemEvents(system)
				known[system] = events
			}
			return events
		},
		Event: func(system, name string) (*tracepoint.Event, error) {
			f, err := h.FS.EventFormat(system, name)
			if err != nil {
				return nil, err
			}
			e := &tracepoint.Event{System: system, Name: name, Print: f.Print}
			for _, field := range f.Fields {
				if !strings.HasPrefix(field.Name, "common_") {
					e.Fields = append(e.Fields, tracepoint.Field{Name: field.Name, Type: field.Type, Size: field.Size, Signed: field.Signed})
				}
			}
			return e, nil
		},
	}
}
