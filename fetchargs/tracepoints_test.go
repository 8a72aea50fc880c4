package fetchargs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
	"github.com/tsnoop/tsnoop/tracefs"
)

// An events line names a kernel of testdata/tracepoints.
func init() {
	targetLines["events"] = func(t testing.TB, to *target.Target, words []string) { to.Tracepoints = tracepointsOf(t, words[0]) }
}

// tracepointsOf returns the events of a kernel, from testdata/tracepoints.
func tracepointsOf(t testing.TB, kernel string) *tracepoint.Set {
	archive, err := txtar.ParseFile(filepath.Join("..", "testdata", "tracepoints", kernel+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	events := map[string]*tracepoint.Event{}
	names := map[string][]string{}
	for _, file := range archive.Files {
		f, err := tracefs.ParseFormat(strings.NewReader(string(file.Data)))
		if err != nil {
			t.Fatal(err)
		}
		system, name, _ := strings.Cut(file.Name, "/")
		e := &tracepoint.Event{System: system, Name: name, Print: f.Print}
		for _, field := range f.Fields {
			if !strings.HasPrefix(field.Name, "common_") {
				e.Fields = append(e.Fields, tracepoint.Field{Name: field.Name, Type: field.Type, Size: field.Size, Signed: field.Signed})
			}
		}
		events[file.Name] = e
		names[system] = append(names[system], name)
	}
	return &tracepoint.Set{
		Systems: func() (all []string) {
			for system := range names {
				all = append(all, system)
			}
			slices.Sort(all)
			return all
		},
		Events: func(system string) []string { return names[system] },
		Event:  func(system, name string) (*tracepoint.Event, error) { return events[system+"/"+name], nil },
	}
}
