package otlp

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of ResourceSpans and ScopeSpans, which those of the other signals have also.
const (
	requestResource                     protowire.Number = 1 // of a request: ResourceSpans
	fieldResource, fieldScopes          protowire.Number = 1, 2
	resourceAttributes                  protowire.Number = 1
	fieldScope, fieldItems, scopeSchema protowire.Number = 1, 2, 3
	scopeName, scopeVersion             protowire.Number = 1, 2
)

// A source is a trace as it is sent.
type source struct {
	*call.Trace
	head  []byte   // the fields of Resource...: the resource
	scope []byte   // the fields of Scope...: the scope
	seed  [16]byte // what its ids are made from, beside the calls
	now   uint64   // the latest time, on the trace clock
	wall  uint64   // what to add to that to get ns since 1970
	nest  nest
	sums  sums
}

// newSource returns the source for a trace. Other attributes come before those of the trace,
// and count only where that has none.
func newSource(t *call.Trace, others [][2]string) *source {
	s := &source{Trace: t}
	o := t.Origin
	own := [][2]string{
		{"host.name", o.Host}, {"host.id", o.MachineID}, {"host.arch", arch(o.Arch)},
		{"os.type", "linux"}, {"os.version", o.Kernel}, {"tsnoop.boot_id", o.BootID},
	}
	known := map[string]bool{}
	var r []byte
	for _, pair := range append(own, others...) {
		if pair[1] != "" && !known[pair[0]] {
			known[pair[0]] = true
			r = appendTextAttr(r, resourceAttributes, pair[0], pair[1])
		}
	}
	s.head = appendBytes(nil, fieldResource, r)
	scope := appendText(nil, scopeName, "github.com/tsnoop/tsnoop")
	if o.Recorder != "" {
		scope = appendText(scope, scopeVersion, o.Recorder)
	}
	s.scope = appendBytes(nil, fieldScope, scope)
	sum := sha256.Sum256([]byte(o.Host + "\x00" + o.MachineID + "\x00" + o.BootID))
	copy(s.seed[:], sum[:])
	if b := o.Began; b != nil {
		s.now, s.wall = b.Trace, uint64(b.Wall)-b.Trace
	}
	return s
}

// at returns a time of day. Without a time on the trace clock that is the latest one.
func (s *source) at(time uint64) uint64 {
	if time == 0 {
		time = s.now
	}
	return s.wall + time
}

// arch returns the name that OpenTelemetry has for an architecture.
func arch(name string) string {
	switch name {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return name
}

// An id is the id of a span, and that of the trace that it is in if it is a root.
type id struct {
	span  [8]byte
	trace [16]byte
}

// newID returns the id of a call: always the same for this call of this boot of the host, from
// whichever input it is exported, and however often. same is the number of calls of the task
// that were equal in all that ids are made from.
func (s *source) newID(scratch []byte, c *call.Call, same int) (of id, _ []byte) {
	b := append(scratch[:0], s.seed[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.TID))
	b = binary.LittleEndian.AppendUint64(b, c.Time)
	b = binary.LittleEndian.AppendUint64(b, c.Duration)
	b = binary.LittleEndian.AppendUint64(b, uint64(same))
	b = append(append(append(b, c.Func.Module...), ':'), c.Func.Name...)
	sum := sha256.Sum256(b)
	copy(of.span[:], sum[:8])
	copy(of.trace[:], sum[8:24])
	of.span[0] |= 1 // never zero, which is invalid
	of.trace[0] |= 1
	return of, b
}
