package arm

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/machine"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Modules holds the modules that functions of a trace are in. The kernel itself arms
// the probes of a module when it is loaded and removes them when it is unloaded;
// Modules warns of both.
type Modules struct {
	machine *machine.Machine
	warner  tracefs.Warner
	mu      sync.Mutex          // guards everything below; Replan may add plans while the modules are watched
	wait    bool                // a module that was unloaded may come back
	funcs   map[string][]string // by module, in the order of the plans
	unsure  map[string]string   // events of functions that may not exist in the module
	profile func() (map[string]tracefs.Hits, error)
	loaded  map[string]bool
	builds  map[string]string // the build that the types are from, "" if not known
	others  bool              // some functions are in the kernel itself
	begun   bool
	events  *proc.ModuleEvents // nil if the kernel does not report module events
}

// NewModules returns the modules that the functions of plans are in, or nil if there are
// none. With wait, those that are unloaded are waited for; with further, plans may be added.
// profile returns how often the probes were hit, by event.
func NewModules(host *machine.Machine, w tracefs.Warner, plans []*plan.Plan, wait, further bool, profile func() (map[string]tracefs.Hits, error)) *Modules {
	m := &Modules{machine: host, warner: w, wait: wait, profile: profile, funcs: map[string][]string{}, unsure: map[string]string{}, loaded: map[string]bool{}, builds: map[string]string{}}
	m.add(plans)
	if len(m.funcs) == 0 && !further {
		return nil
	}
	m.others = m.others || further // such plans may come later
	return m
}

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
	if m.events, err = proc.WatchModules(); err != nil {
		m.warner.Detailf("modules that come and go are not told of: %v", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = true
	m.look()
}

// Close ends the watch, which may not have begun.
func (m *Modules) Close() {
	if m != nil && m.events != nil {
		m.events.Close()
	}
}

// look looks at modules that it has not seen before.
func (m *Modules) look() {
	for name := range m.funcs {
		if _, known := m.loaded[name]; known {
			continue
		}
		m.loaded[name] = proc.ModuleLoaded(name)
		m.builds[name] = m.machine.Build(name)
		if m.loaded[name] {
			m.builds[name] = proc.ModuleBuild(name)
			m.lacks(name) // it may have been loaded since the plans were made
		} else {
			m.warner.Warnf("waiting for the module %s: %s", name, m.names(name))
			m.wait = true
		}
	}
}

// Watch warns of modules that are loaded and unloaded, until ctx is done. It calls end
// when there is nothing left to trace.
func (m *Modules) Watch(ctx context.Context, end func()) (stop func()) {
	if m == nil || m.events == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range m.events.All() {
			if m.take(e); m.over() && ctx.Err() == nil {
				m.warner.Warnf("nothing is left to trace")
				end()
				return
			}
		}
	}()
	return func() {
		// Report what has happened by now, even though the trace is over.
		if m.events.Drain() != nil {
			m.Close()
		}
		<-done
	}
}

// take handles an event; one without a name may be about any module.
func (m *Modules) take(e proc.ModuleEvent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.funcs {
		now := !e.Gone
		switch e.Name {
		case name:
		case "":
			now = proc.ModuleLoaded(name)
		default:
			continue
		}
		if m.loaded[name] == now {
			continue
		}
		if m.loaded[name] = now; now {
			m.came(name)
		} else {
			m.left(name)
		}
	}
}

func (m *Modules) came(name string) {
	m.warner.Warnf("the module %s has come: %s", name, m.names(name))
	build := proc.ModuleBuild(name)
	if m.builds[name] != "" && build != "" && build != m.builds[name] {
		m.warner.Warnf("it is not the build of %s that types are known of: do not believe its values", name)
	}
	m.lacks(name)
}

// lacks warns of functions that a module turns out not to have.
func (m *Modules) lacks(name string) {
	unsure := slices.DeleteFunc(slices.Clone(m.funcs[name]), func(f string) bool { return m.unsure[f] == "" })
	if len(unsure) == 0 {
		return
	}
	traceable := m.machine.FS.TraceableFunctions()
	for _, f := range unsure {
		if traceable != nil && !traceable(name, f) && !m.hit(f) {
			m.warner.Warnf("the module %s has no function %s that can be traced", name, f)
		}
	}
}

// hit reports whether a function was called. The kernel has freed a function that initializes
// a module by the time that the module is reported as loaded.
func (m *Modules) hit(function string) bool {
	all, err := m.profile()
	return err == nil && all[m.unsure[function]].Hits > 0
}

func (m *Modules) left(name string) {
	again := "is not traced any more"
	if len(m.funcs[name]) > 1 {
		again = "are not traced any more"
	}
	if !m.ended() { // the kernel keeps the probes
		again = "will be traced when it comes again"
	}
	m.warner.Warnf("the module %s has gone: %s %s", name, m.names(name), again)
}

// names lists the functions of a module, or the first of them.
func (m *Modules) names(module string) string {
	const most = 3
	all := m.funcs[module]
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
	if m.others || m.wait {
		return false
	}
	for _, there := range m.loaded {
		if there {
			return false
		}
	}
	return true
}
