package otlp

import (
	"maps"
	"slices"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"google.golang.org/protobuf/encoding/protowire"
)

// keys appends the attributes of a call's series: the function, the error, and the keys that
// were asked for.
func (x *exporter) keys(dst []byte, c *call.Call) []byte {
	dst = appendTextAttr(dst, pointAttributes, "code.function.name", c.Func.Name)
	if c.Func.Module != "" {
		dst = appendTextAttr(dst, pointAttributes, "tsnoop.module", c.Func.Module)
	}
	if name := c.Errno(); name != "" {
		dst = appendTextAttr(dst, pointAttributes, "error.type", name)
	}
	for i, key := range x.o.By {
		was := len(dst)
		if add := keyWords[key]; add != nil {
			dst = add(dst, c)
		} else {
			dst = appendKey(dst, c, key)
		}
		x.had[i] = x.had[i] || len(dst) > was
	}
	return dst
}

// missingKeys warns of keys that no call has.
func (x *exporter) missingKeys() {
	for i, key := range x.o.By {
		if !x.had[i] {
			x.to.Warn("no call has a value %s: give --by a name as the spec has it", key)
		}
	}
}

// renumber returns attributes as the fields that points of numbers have.
func renumber(attrs []byte) (all []byte) {
	for len(attrs) > 0 {
		_, _, n := protowire.ConsumeTag(attrs)
		text, size := protowire.ConsumeBytes(attrs[n:])
		all = appendBytes(all, numberAttributes, text)
		attrs = attrs[n+size:]
	}
	return all
}

// keyWords append what keys stand for that are not the name of a value.
var keyWords = map[string]func([]byte, *call.Call) []byte{
	"comm": func(dst []byte, c *call.Call) []byte {
		return appendTextAttr(dst, pointAttributes, "thread.name", c.Comm)
	},
	"pid": func(dst []byte, c *call.Call) []byte {
		return appendIntAttr(dst, pointAttributes, "process.pid", int64(c.PID))
	},
	"tid": func(dst []byte, c *call.Call) []byte {
		return appendIntAttr(dst, pointAttributes, "thread.id", int64(c.TID))
	},
	"cpu": func(dst []byte, c *call.Call) []byte {
		return appendIntAttr(dst, pointAttributes, "cpu.logical_number", int64(c.CPU))
	},
	"caller": func(dst []byte, c *call.Call) []byte {
		return appendTextAttr(dst, pointAttributes, "tsnoop.caller", c.Caller)
	},
}

// words returns the keys that are words.
func words() []string { return slices.Sorted(maps.Keys(keyWords)) }

// appendKey appends the value with a name, if the call has it.
func appendKey(dst []byte, c *call.Call, name string) []byte {
	for _, all := range [][]call.Value{c.Args, {c.Return}, c.Results} {
		for i := range all {
			if v := &all[i]; v.Item != nil && v.Name == name {
				return appendValue(dst, pointAttributes, v, 1)
			}
		}
	}
	return dst
}
