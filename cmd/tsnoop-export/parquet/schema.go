package parquet

import (
	"reflect"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// The columns that each file has, in this order, ret among them; those of items follow.
var fixedNames = []string{
	"time", "ts_ns", "host", "boot_id", "func", "module", "comm", "caller", "caller_module", "cpu", "pid", "tid",
	"duration_ns", "ret", "errno", "orphan", "unfinished", "end_cpu", "faults", "text", "stack",
}

// Their leaf columns: a map has two.
const (
	colTime = iota
	colTS
	colHost
	colBoot
	colFunc
	colModule
	colComm
	colCaller
	colCallerModule
	colCPU
	colPID
	colTID
	colDuration
	colRet
	colErrno
	colOrphan
	colUnfinished
	colEndCPU
	colFaultName
	colFaultText
	colTextName
	colTextText
	colStack
	colItems // the first one
)

// A group is one whose columns have an order.
type group struct {
	pq.Group
	fields []pq.Field
}

func (g group) Fields() []pq.Field { return g.fields }

// A field is a column of a group.
type field struct {
	pq.Node
	name string
}

func (f *field) Name() string { return f.name }

// Value is for writers of structs.
func (f *field) Value(base reflect.Value) reflect.Value {
	return base.MapIndex(reflect.ValueOf(f.name))
}

func newSchema(name string, fields ...*field) *pq.Schema {
	g := group{Group: pq.Group{}}
	for _, f := range fields {
		g.Group[f.name] = f.Node
		g.fields = append(g.fields, f)
	}
	return pq.NewSchema(name, g)
}

func optional(n pq.Node, e encoding.Encoding) pq.Node {
	if e != nil {
		n = pq.Encoded(n, e)
	}
	return pq.Optional(n)
}

// words are texts of which there are few: they are in the file once.
func words() pq.Node { return pq.Encoded(pq.String(), &pq.RLEDictionary) }

func texts() pq.Node { return pq.Optional(pq.Map(words(), words())) }

// schemaOf returns the schema for calls with these items. The first of them is ret.
func schemaOf(items []column) *pq.Schema {
	delta := &pq.DeltaBinaryPacked
	nodes := map[string]pq.Node{
		"time": optional(pq.Timestamp(pq.Nanosecond), delta), "ts_ns": optional(pq.Int(64), delta),
		"host": optional(words(), nil), "boot_id": optional(words(), nil),
		"func": words(), "module": optional(words(), nil), "comm": optional(words(), nil),
		"caller": optional(words(), nil), "caller_module": optional(words(), nil),
		"cpu": optional(pq.Int(32), nil), "pid": optional(pq.Int(32), nil), "tid": optional(pq.Int(32), nil),
		"duration_ns": optional(pq.Int(64), nil), "ret": items[0].node(), "errno": optional(words(), nil),
		"orphan": pq.Leaf(pq.BooleanType), "unfinished": pq.Leaf(pq.BooleanType), "end_cpu": optional(pq.Int(32), nil),
		"faults": texts(), "text": texts(), "stack": pq.Optional(pq.List(words())),
	}
	var fields []*field
	for _, name := range fixedNames {
		fields = append(fields, &field{nodes[name], name})
	}
	for i := range items[1:] {
		fields = append(fields, &field{items[1+i].node(), items[1+i].Name})
	}
	return newSchema("call", fields...)
}

func (c *column) node() pq.Node {
	switch c.form {
	case boolean:
		return pq.Optional(pq.Leaf(pq.BooleanType))
	case signed:
		return optional(pq.Int(64), nil)
	case unsigned:
		return optional(pq.Uint(64), nil)
	}
	return optional(words(), nil)
}
