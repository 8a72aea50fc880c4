package text

import "github.com/tsnoop/tsnoop/render"

// A site is where calls come from, a trace or one of several recordings, with what is
// remembered of it.
type site struct {
	from    *render.Recording // nil if there is one trace
	opts    *render.Options
	callers render.AddressCache
	frames  *render.Frames
	task    render.TaskCache
	host    []byte // the column HOST
}

// addSites finds the sites of the functions that have none yet.
func (p *Printer) addSites() {
	for i := len(p.sites); i < len(p.functions); i++ {
		f := &p.functions[i]
		if n := len(p.sites); n > 0 && p.sites[n-1].from == f.From {
			p.sites = append(p.sites, p.sites[n-1])
			continue
		}
		at := &site{from: f.From, opts: f.Opts, frames: render.NewFrames(f.Opts)}
		if f.From != nil && p.opts.Group != render.GroupTask { // whose headings have it
			at.host = append(padRight(appendHost(nil, f.From), 0, p.opts.Hosts), ' ')
		}
		p.sites = append(p.sites, at)
	}
}

// appendHost appends the name of the host of a recording.
func appendHost(dst []byte, r *render.Recording) []byte {
	return render.AppendEscaped(dst, []byte(r.Host), render.NoQuote)
}

// appendHostHead appends the heading of the column HOST, if there is one.
func (p *Printer) appendHostHead(dst []byte) []byte {
	if p.opts.Hosts == 0 || p.opts.Group == render.GroupTask {
		return dst
	}
	start := len(dst)
	return append(padRight(append(dst, "HOST"...), start, p.opts.Hosts), ' ')
}

// appendTaskOf appends "HOST COMM-TID", without HOST if there is one trace.
func (at *site) appendTaskOf(dst, comm []byte, tid int) []byte {
	if at.from != nil {
		dst = append(appendHost(dst, at.from), ' ')
	}
	return appendTaskName(dst, comm, tid)
}
