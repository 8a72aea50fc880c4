package arm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Modules holds the modules that functions and events of a trace are in. The kernel itself arms
// the probes of a module when it is loaded and removes them when it is unloaded. It also
// removes the module's own events, and those are enabled again here. Modules warns of all this.
type Modules struct {
	probes *Probes
	warner tracefs.Warner
	back   func(event string, id int) error // enables an event that is there again
	loaded func()                           // see WhenLoaded
	mu     sync.Mutex                       // guards everything below; Reload may add plans while the modules are watched
	wait   bool                             // a module that was unloaded may come back
	funcs  map[string][]string              // by module, in the order of the plans
	unsure map[string]string                // events of functions that may not exist in the module
	here   map[string]bool                  // modules of functions that are loaded
	builds map[string]string                // the build that the types are from, "" if not known
	events []*moduleEvent
	others bool // some functions are in the kernel itself
	begun  bool
	source *proc.ModuleEvents // nil if the kernel does not report module events
}

// NewModules returns the modules that the functions and events of plans are in, or nil if
// there are none. With wait, those that are unloaded are waited for; with further, plans may
// be added. back enables an event that the kernel has removed and that is there again; id is
// the one that it had first.
func NewModules(a *Probes, plans []*plan.Plan, wait, further bool, back func(event string, id int) error) *Modules {
	m := &Modules{probes: a, warner: a.Stream.Warner, wait: wait, back: back, funcs: map[string][]string{}, unsure: map[string]string{}, here: map[string]bool{}, builds: map[string]string{}}
	m.add(plans)
	if len(m.funcs)+len(m.events) == 0 && !further {
		return nil
	}
	m.others = m.others || further // such plans may come later
	return m
}

// WhenLoaded has f called when a module was loaded. It must be called before Watch.
func (m *Modules) WhenLoaded(f func()) { m.loaded = f }

// add notes the modules of plans.
func (m *Modules) add(plans []*plan.Plan) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range plans {
		switch {
		case p.Renames != "":
		case !p.AtFunction():
			m.addEvent(p)
		case p.Func.Module == "":
			m.others = true
		case !slices.Contains(m.funcs[p.Func.Module], p.Func.Name):
			m.funcs[p.Func.Module] = append(m.funcs[p.Func.Module], p.Func.Name)
			if p.Func.Untyped {
				m.unsure[p.Func.Name] = p.Probes[0].Event
			}
		}
	}
	if m.begun {
		m.look()
	}
}

// Begin starts to listen for module events and then looks which modules are loaded, so
// that it misses nothing. It must be called before the first event is recorded.
func (m *Modules) Begin() {
	if m == nil {
		return
	}
	var err error
	if m.source, err = proc.WatchModules(); err != nil {
		m.warner.Detailf("modules that are loaded or unloaded are not reported: %v", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = true
	m.look()
}

// Close ends the watch, which may not have begun.
func (m *Modules) Close() {
	if m != nil && m.source != nil {
		m.source.Close()
	}
}

// look looks at modules that it has not seen before.
func (m *Modules) look() {
	for name := range m.funcs {
		if _, known := m.here[name]; known {
			continue
		}
		m.here[name] = proc.ModuleLoaded(name)
		m.builds[name] = m.probes.Host.Build(name)
		if m.here[name] {
			m.builds[name] = proc.ModuleBuild(name)
			m.lacks(name) // it may have been loaded since the plans were made
		} else {
			m.warner.Warnf("waiting for the module %s: %s", name, few(m.funcs[name]))
			m.wait = true
		}
	}
}

// Watch warns of modules that are loaded and unloaded, until ctx is done. It calls end
// when there is nothing left to trace.
func (m *Modules) Watch(ctx context.Context, end func()) (stop func()) {
	if m == nil || m.source == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range m.source.All() {
			m.take(e)
			if m.loaded != nil && !e.Gone {
				m.loaded()
			}
			if m.over() && ctx.Err() == nil {
				m.warner.Warnf("nothing is left to trace")
				end()
				return
			}
		}
	}()
	return func() {
		// Report what has happened by now, even though the trace is over.
		if m.source.Drain() != nil {
			m.Close()
		}
		<-done
	}
}

// take handles an event; one without a name may be about any module.
func (m *Modules) take(e proc.ModuleEvent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	came, left := m.turned(e)
	for name := range m.funcs {
		now := !e.Gone
		switch e.Name {
		case name:
		case "":
			now = proc.ModuleLoaded(name)
		default:
			continue
		}
		if m.here[name] == now {
			continue
		}
		if m.here[name] = now; now {
			came[name] = append(slices.Clone(m.funcs[name]), came[name]...)
		} else {
			left[name] = append(slices.Clone(m.funcs[name]), left[name]...)
		}
	}
	for name, what := range left {
		m.left(name, what)
	}
	for name, what := range came {
		m.came(name, what)
	}
}

// came reports that a module was loaded, and what the trace has of it.
func (m *Modules) came(name string, what []string) {
	m.warner.Warnf("the module %s was loaded: %s", name, few(what))
	build := proc.ModuleBuild(name)
	if m.builds[name] != "" && build != "" && build != m.builds[name] {
		m.warner.Warnf("the BTF is from a different build of %s: its values can be wrong", name)
	}
	m.lacks(name)
}

// lacks warns of functions that a module turns out not to have.
func (m *Modules) lacks(name string) {
	unsure := slices.DeleteFunc(slices.Clone(m.funcs[name]), func(f string) bool { return m.unsure[f] == "" })
	if len(unsure) == 0 {
		return
	}
	fs := m.probes.Host.FS
	traceable := fs.TraceableFunctions()
	for _, f := range unsure {
		if traceable == nil || traceable(name, f) || m.hit(f) {
			continue
		}
		but := ""
		if slices.Contains(fs.SystemEvents(name), f) {
			but = fmt.Sprintf(", but an event of this name: to wait for that, name a field, %s:%s(FIELD)", name, f)
		}
		m.warner.Warnf("the module %s has no function %s that can be traced%s", name, f, but)
	}
}

// hit reports whether a function was called. The kernel has freed a function that initializes
// a module by the time that the module is reported as loaded.
func (m *Modules) hit(function string) bool {
	all, err := m.probes.Session.Profile()
	return err == nil && all[m.unsure[function]].Hits > 0
}

// left reports that a module was unloaded, and what the trace has of it.
func (m *Modules) left(name string, what []string) {
	again := "is not traced any more"
	if len(what) > 1 {
		again = "are not traced any more"
	}
	if !m.ended() {
		again = "will be traced when it is loaded again"
	}
	m.warner.Warnf("the module %s was unloaded: %s %s", name, few(what), again)
}

// few lists names, or the first of them.
func few(all []string) string {
	const most = 3
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:most], ", ") + " and others"
}

// over reports whether nothing that is traced is loaded or may be loaded again.
func (m *Modules) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ended()
}

func (m *Modules) ended() bool {
	if m.others || m.wait || slices.ContainsFunc(m.events, func(e *moduleEvent) bool { return e.here }) {
		return false
	}
	for _, there := range m.here {
		if there {
			return false
		}
	}
	return true
}
