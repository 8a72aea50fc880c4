package json

import (
	"strconv"

	"github.com/tsnoop/tsnoop/render"
)

// A site is where calls come from, a trace or one of several recordings, with what is
// remembered of it.
type site struct {
	from    *render.Recording // nil if there is one trace
	opts    *render.Options
	callers render.AddressCache
	frames  *render.Frames
	task    render.TaskCache
	host    []byte // the member "host"
}

// siteOf returns the site of a function, which is mostly that of the one before.
func (p *Printer) siteOf(f *render.Function) *site {
	if n := len(p.sites); n > 0 && p.sites[n-1].from == f.From {
		return p.sites[n-1]
	}
	at := &site{from: f.From, opts: f.Opts, frames: render.NewFrames(f.Opts)}
	if f.From != nil {
		at.host = appendMember(nil, "host", f.From.Host)
	}
	return at
}

// appendWall appends the time since 1970 at ts of a recording, if that is known.
func (p *Printer) appendWall(dst []byte, r *render.Recording, ts uint64) []byte {
	if r.Wall == nil {
		return dst
	}
	return strconv.AppendInt(append(dst, `,"wall_ns":`...), int64(ts)+*r.Wall, 10)
}

// appendHost appends the member "host" of the recording that a message is about, if there are
// several.
func (p *Printer) appendHost(dst []byte) []byte {
	if r := p.about(); r != nil {
		dst = appendMember(dst, "host", r.Host)
	}
	return dst
}

func (p *Printer) about() *render.Recording {
	if p.opts.About == nil {
		return nil
	}
	return p.opts.About()
}
