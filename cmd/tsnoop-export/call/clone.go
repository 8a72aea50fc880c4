package call

import (
	"bytes"
	"slices"
)

// Clone returns a copy that stays valid.
func (c *Call) Clone() *Call {
	n := *c
	n.Comm = bytes.Clone(c.Comm)
	n.Args, n.Results = values(c.Args), values(c.Results)
	n.Return = c.Return.clone()
	n.Stack = slices.Clone(c.Stack)
	n.Faults = slices.Clone(c.Faults)
	for i := range n.Faults {
		f := &n.Faults[i]
		f.Name, f.Text = bytes.Clone(f.Name), bytes.Clone(f.Text)
	}
	return &n
}

func values(all []Value) []Value {
	all = slices.Clone(all)
	for i := range all {
		all[i] = all[i].clone()
	}
	return all
}

func (v Value) clone() Value {
	v.Text, v.Label = bytes.Clone(v.Text), bytes.Clone(v.Label)
	return v
}

// Size returns about how many bytes a clone takes.
func (c *Call) Size() (n int) {
	const fixed, each = 512, 96
	n = fixed + len(c.Comm) + each*(len(c.Args)+len(c.Results)+len(c.Faults)) + 16*len(c.Stack)
	for _, v := range c.Args {
		n += len(v.Text) + len(v.Label)
	}
	for _, v := range c.Results {
		n += len(v.Text) + len(v.Label)
	}
	for _, f := range c.Faults {
		n += len(f.Name) + len(f.Text)
	}
	return n + len(c.Return.Text) + len(c.Return.Label)
}
