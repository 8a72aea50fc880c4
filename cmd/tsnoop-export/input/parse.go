package input

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	typed "github.com/tsnoop/tsnoop/render/json"
)

// A parser makes calls of lines. It keeps functions and items,
// so that calls share them.
type parser struct {
	funcs map[call.Func]*call.Func
	items map[call.Item]*call.Item
}

// mostShared is how many functions, or items, are kept: more than any trace has. Lines that
// have more come from elsewhere.
const mostShared = 1 << 16

// shared returns the one that is kept of things that are equal.
func shared[T comparable](kept *map[T]*T, one T) *T {
	if p := (*kept)[one]; p != nil {
		return p
	}
	if *kept == nil || len(*kept) >= mostShared {
		*kept = map[T]*T{}
	}
	(*kept)[one] = &one
	return &one
}

// call returns the call of a line.
func (p *parser) call(l *line) (c *call.Call, err error) {
	c = &call.Call{
		Func: shared(&p.funcs, call.Func{Name: *l.Func, Module: l.Module}), Time: *l.TS, CPU: l.CPU, PID: -1, TID: l.TID,
		Caller: l.Caller, CallerModule: l.CallerModule, Orphan: l.Orphan, Unfinished: l.Unfinished, Stack: l.Stack,
		Comm: []byte(l.Comm),
	}
	if l.PID != nil {
		c.PID = *l.PID
	}
	if l.CommBytes != "" {
		if c.Comm, err = hex.DecodeString(l.CommBytes); err != nil {
			return nil, fmt.Errorf(`"comm_bytes": %w`, err)
		}
	}
	if l.Time != "" {
		at, err := time.Parse(time.RFC3339Nano, l.Time)
		if err != nil {
			return nil, fmt.Errorf(`"time" is not a time: %.40q`, l.Time)
		}
		c.Wall = at.UnixNano()
	}
	for _, e := range l.Errors {
		c.Faults = append(c.Faults, call.Fault{Name: []byte(e.Name), Text: []byte(e.Fault)})
	}
	if c.Args, err = p.values(l.Args); err != nil {
		return nil, err
	}
	return c, p.result(l, c)
}

// result adds what a line says of the end of a call.
func (p *parser) result(l *line, c *call.Call) (err error) {
	if l.Ret != nil {
		l.Ret.Name = "return"
		if c.Return, err = p.value(l.Ret); err != nil {
			return err
		}
	}
	if c.Results, err = p.values(l.RetArgs); err != nil {
		return err
	}
	if l.End != nil {
		c.Ended, c.End, c.EndCPU = true, *l.End, l.CPU
	}
	if l.EndCPU != nil {
		c.EndCPU = *l.EndCPU
	}
	if l.Duration != nil {
		c.Timed, c.Duration = true, *l.Duration
	}
	return nil
}

func (p *parser) values(all []jsonArg) (values []call.Value, err error) {
	for i := range all {
		v, err := p.value(&all[i])
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func (p *parser) value(a *jsonArg) (v call.Value, err error) {
	v.Item = shared(&p.items, call.Item{Name: a.Name, Type: a.Type})
	v.Errno = a.Errno
	if len(a.Value) == 0 {
		return v, fmt.Errorf("%.40q has no value", a.Name)
	}
	switch first := a.Value[0]; {
	case first == 'n': // null
		if a.Text != nil {
			v.Label = []byte(*a.Text)
		}
	case first == 't':
		v.Kind, v.Number = typed.Bool, 1
	case first == 'f':
		v.Kind = typed.Bool
	case first == '{' || first == '[':
		var b bytes.Buffer
		if err := json.Compact(&b, a.Value); err != nil {
			return v, err
		}
		v.Kind, v.Text = typed.Tree, b.Bytes()
	case first == '"':
		err = setText(&v.Typed, a)
	default:
		err = setNumber(&v.Typed, a)
	}
	return v, err
}

// setText sets a string.
func setText(v *typed.Typed, a *jsonArg) (err error) {
	if a.Bytes != nil {
		if v.Text, err = hex.DecodeString(*a.Bytes); err != nil {
			return fmt.Errorf(`"bytes" of %.40q: %w`, a.Name, err)
		}
		v.Kind = typed.Bytes
		return nil
	}
	var text string
	if err := json.Unmarshal(a.Value, &text); err != nil {
		return err
	}
	v.Kind, v.Text = typed.Text, []byte(text)
	if a.Text != nil {
		v.Label = []byte(*a.Text)
	}
	return nil
}

// setNumber sets a number. The text of one that doubles would round has its digits.
func setNumber(v *typed.Typed, a *jsonArg) error {
	digits := string(a.Value)
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		v.Kind, v.Number = typed.Int, uint64(n)
	} else if n, err := strconv.ParseUint(digits, 10, 64); err == nil && n > math.MaxInt64 {
		v.Kind, v.Number = typed.Uint, n
	} else {
		return fmt.Errorf("%.40q of %.40q is not a number of 64 bits", digits, a.Name)
	}
	if a.Text != nil && *a.Text != digits {
		v.Label = []byte(*a.Text)
	}
	return nil
}
