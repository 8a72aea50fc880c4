// Package folded writes stacks in the form of stackcollapse-*.pl, which flame graphs are made
// of: the frames, from the first that called to the last, with semicolons between them, and a
// weight.
package folded

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/render"
)

// Options are the flags of this output.
type Options struct {
	Weight string // "calls" or "ns"; "" for calls
}

// Flags returns the flags that set o.
func Flags(o *Options) []program.Row {
	return []program.Row{{Name: "weight", Form: " WHAT", Text: "calls (default), or ns: how long they took, with the time in calls that they made; calls of unknown duration are left out",
		Value: program.OneOf(&o.Weight, "calls", "ns"), Takes: "is calls or ns", Example: "tsnoop-export folded --weight ns trace.dat"}}
}

// most is how many bytes the different stacks may take. Those for which there is no room are
// counted as one.
const most = 64 << 20

// others is the stack of the calls whose stacks have no room.
const others = "[other stacks]"

// A folder is the [output.Output].
type folder struct {
	to      output.To
	ns      bool
	weights map[string]*uint64
	bytes   int // of the stacks
	most    int

	line    []byte // scratch
	stacks  bool   // a call has one
	calls   uint64
	other   uint64 // calls that others stands for
	unknown uint64 // calls whose duration is not known
}

// New returns the output.
func New(to output.To, o Options) output.Output {
	return &folder{to: to, ns: o.Weight == "ns", weights: map[string]*uint64{}, most: most}
}

func (f *folder) Begin(*call.Trace) error { return nil }
func (f *folder) Loss(*call.Loss) error   { return nil }
func (f *folder) End(*call.Trace) error   { return nil }

func (f *folder) Call(c *call.Call) error {
	weight := uint64(1)
	if f.ns {
		if !c.Timed {
			f.unknown++
			return nil
		}
		weight = c.Duration
	}
	f.calls++
	f.stacks = f.stacks || len(c.Stack) > 0
	f.line = appendStack(f.line[:0], c)
	n := f.weights[string(f.line)]
	if n == nil {
		n = f.add()
	}
	*n += weight
	return nil
}

// add adds the stack in line, or that of the others if there is no room.
func (f *folder) add() *uint64 {
	const each = 96 // bytes of a map for a string and a number
	stack := string(f.line)
	if f.bytes += len(stack) + each; f.bytes > f.most {
		f.bytes = f.most
		f.other++
		if n := f.weights[others]; n != nil {
			return n
		}
		stack = others
	}
	n := new(uint64)
	f.weights[stack] = n
	return n
}

// appendStack appends the frames of a call: the task, the functions that led to it, and its
// own. Without a stack only the caller is known.
func appendStack(dst []byte, c *call.Call) []byte {
	task := c.Comm
	if len(task) == 0 {
		task = []byte("[unknown]")
	}
	dst = appendFrame(dst, task)
	own := c.Func.Name
	if c.Func.Module != "" {
		own += " [" + c.Func.Module + "]"
	}
	if len(c.Stack) == 0 {
		if c.Caller != "" {
			by := c.Caller
			if c.CallerModule != "" {
				by += " [" + c.CallerModule + "]"
			}
			dst = appendFrame(append(dst, ';'), []byte(by))
		}
		return appendFrame(append(dst, ';'), []byte(own))
	}
	for i, frame := range slices.Backward(c.Stack) {
		if i == 0 && isOf(frame, c.Func.Name) {
			break // the probe is in the function itself
		}
		dst = appendFrame(append(dst, ';'), []byte(frame))
	}
	return appendFrame(append(dst, ';'), []byte(own))
}

// isOf reports whether a frame is of a function.
func isOf(frame, function string) bool {
	name, _, _ := strings.Cut(frame, " ")
	name, _, _ = strings.Cut(name, "+")
	return name == function
}

// appendFrame appends a frame: with no semicolon, no control character, and no number sign at
// its start, which would make a line a comment.
func appendFrame(dst, name []byte) []byte {
	start := len(dst)
	dst = render.AppendEscaped(dst, bytes.ReplaceAll(name, []byte(";"), []byte(":")), render.NoQuote)
	if start == 0 && len(dst) > 0 && dst[0] == '#' {
		dst[0] = '_'
	}
	return dst
}

func (f *folder) Close(missing error) error {
	if errors.Is(missing, context.Canceled) {
		return nil
	}
	if f.calls > 0 && !f.stacks {
		f.to.Warn("no call has a stack, so that only its caller is known: trace with --kstack")
	}
	if f.other > 0 {
		f.to.Warn("there are more different stacks than fit into %d MiB: %d calls are counted as %q", f.most>>20, f.other, others)
	}
	if f.unknown > 0 {
		f.to.Warn("the durations of %d calls are not known: they are left out", f.unknown)
	}
	w := bufio.NewWriter(f.to.W)
	for _, stack := range slices.Sorted(maps.Keys(f.weights)) {
		w.WriteString(stack)
		w.WriteByte(' ')
		w.Write(strconv.AppendUint(nil, *f.weights[stack], 10))
		w.WriteByte('\n')
	}
	return w.Flush()
}
