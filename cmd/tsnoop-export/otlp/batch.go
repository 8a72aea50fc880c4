package otlp

import "google.golang.org/protobuf/encoding/protowire"

// A batch is full with so many spans or log records, or bytes.
const (
	batchItems = 2000
	batchBytes = 1 << 20
)

// A batch is what the next request of a signal has.
type batch struct {
	groups []group
	n      int // items
	bytes  int
	body   []byte // the last request
}

// A group is the items of one source.
type group struct {
	source *source
	items  []byte // fields of Scope...
}

// add adds an item of a source, which is the fields in two pieces.
func (b *batch) add(s *source, head, tail []byte) {
	g := b.group(s)
	was := len(g.items)
	g.items = protowire.AppendTag(g.items, fieldItems, protowire.BytesType)
	g.items = protowire.AppendVarint(g.items, uint64(len(head)+len(tail)))
	g.items = append(append(g.items, head...), tail...)
	b.n++
	b.bytes += len(g.items) - was
}

// group returns the group of a source.
func (b *batch) group(s *source) *group {
	for i := range b.groups {
		if b.groups[i].source == s {
			return &b.groups[i]
		}
	}
	if len(b.groups) < cap(b.groups) {
		b.groups = b.groups[:len(b.groups)+1]
	} else {
		b.groups = append(b.groups, group{})
	}
	g := &b.groups[len(b.groups)-1]
	g.source, g.items = s, g.items[:0]
	return g
}

func (b *batch) isFull() bool { return b.n >= batchItems || b.bytes >= batchBytes }

// take returns the request, which is valid until the next one, and how many items it has.
func (b *batch) take() (n int, body []byte) {
	body = b.body[:0]
	for i := range b.groups {
		g := &b.groups[i]
		d, resource := begin(body, requestResource)
		d, scopes := begin(append(d, g.source.head...), fieldScopes)
		d = append(append(d, g.source.scope...), g.items...)
		body = end(end(d, scopes), resource)
		if g.source = nil; len(b.groups) > 4 {
			g.items = nil // of many hosts, each can be large once
		}
	}
	n, b.body = b.n, body
	b.groups, b.n, b.bytes = b.groups[:0], 0, 0
	return n, body
}
