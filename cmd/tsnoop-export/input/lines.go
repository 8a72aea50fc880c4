package input

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/tracefs"
)

const (
	// longest is the most bytes of a line: far more than the largest event has.
	longest = 16 << 20
	// version is the form of lines that is understood: "v" beside "origin".
	version = 1
)

// Lines exports the lines that tsnoop --json has written. Several traces may follow one
// another. It returns a [*Damaged] with the number of the line at which it had to stop.
func Lines(ctx context.Context, in io.Reader, name string, to output.Output) error {
	r := newLineReader(name, to)
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 0, 64<<10), longest)
	var err error
	for err == nil && ctx.Err() == nil && scan.Scan() {
		r.n++
		err = r.line(scan.Bytes())
	}
	if ctx.Err() != nil {
		return ctx.Err() // the last line is then what was read of it
	}
	if cause := scan.Err(); err == nil && errors.Is(cause, bufio.ErrTooLong) {
		r.n++
		err = r.damaged(fmt.Errorf("more than %d MiB on a line", longest>>20))
	} else if err == nil && cause != nil {
		err = cause
	}
	if err != nil && !isDamaged(err) {
		return err
	}
	return cmp.Or(r.end(), err)
}

func isDamaged(err error) bool {
	var d *Damaged
	return errors.As(err, &d)
}

// A lineReader gives an output what lines say.
type lineReader struct {
	name string
	n    int // of the line
	to   output.Output

	trace *call.Trace // nil before the first one and after its last line
	first tracefs.Origin
	wall  int64 // what to add to the trace clock to get ns since 1970; 0 if it is not known

	hosts map[string]*call.Trace // of the replay of several recordings, by the name in each line

	parser  parser
	pending pending
}

func newLineReader(name string, to output.Output) *lineReader {
	return &lineReader{name: name, to: to}
}

// damaged returns an error about the current line.
func (r *lineReader) damaged(err error) error {
	return &Damaged{fmt.Errorf("%s, line %d: %w", r.name, r.n, err)}
}

// line exports what a line says.
func (r *lineReader) line(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	l := &line{}
	if err := json.Unmarshal(text, l); err != nil {
		return r.damaged(explain(err))
	}
	switch {
	case l.Origin != nil:
		return r.origin(l)
	case l.Summary != nil || l.Heat != nil:
		return nil
	}
	if err := r.choose(l); err != nil {
		return err
	}
	loss, err := l.loss()
	if err != nil {
		return r.damaged(err)
	}
	switch {
	case loss != nil:
		loss.Trace = r.trace
		return r.to.Loss(loss)
	case l.Func == nil || l.TS == nil:
		return nil // a kind of line that a later version has added
	}
	c, err := r.parser.call(l)
	if err != nil {
		return r.damaged(err)
	}
	return r.call(l, c)
}

// call exports a call, or keeps it until its second part is read.
func (r *lineReader) call(l *line, c *call.Call) error {
	c.Trace = r.trace
	if l.Wall != nil {
		c.Wall = *l.Wall
	} else if c.Wall == 0 && r.wall != 0 {
		c.Wall = int64(c.Time) + r.wall
	}
	switch l.Part {
	case "begin":
		return r.pending.add(l.Call, c, r.to.Call)
	case "end":
		r.pending.join(l.Call, c)
	}
	return r.to.Call(c)
}

// begin begins a trace unless one has begun.
func (r *lineReader) begin(o *tracefs.Origin) error {
	if r.trace != nil {
		return nil
	}
	r.trace, r.first, r.wall = &call.Trace{Name: r.name, Origin: o}, *o, 0
	if b := o.Began; b != nil {
		r.wall = b.Wall - int64(b.Trace)
	}
	return r.to.Begin(r.trace)
}

// end ends the trace, if one has begun.
func (r *lineReader) end() error {
	if r.trace == nil {
		return nil
	}
	if err := r.pending.rest(r.to.Call); err != nil {
		return err
	}
	ended := r.trace
	r.trace = nil
	if len(r.hosts) == 0 {
		return r.to.End(ended)
	}
	return r.endHosts()
}

// origin takes the first or the last line of a trace, which are the same except for the end. If
// the tracer was killed, there is no last one, and another trace may follow.
func (r *lineReader) origin(l *line) error {
	if l.V != nil && *l.V > version {
		return r.damaged(fmt.Errorf("the lines have the form %d, and this tsnoop-export knows %d: use the one that was released with that tsnoop", *l.V, version))
	}
	if l.Host != nil {
		return r.host(l)
	}
	o := l.Origin.origin()
	if r.trace == nil {
		return r.begin(o)
	}
	was, is := r.first, *o
	was.Ended, is.Ended = nil, nil
	same := reflect.DeepEqual(was, is)
	if same {
		r.trace.Origin = o
	}
	if err := r.end(); err != nil || same {
		return err
	}
	return r.begin(o)
}

// explain returns an error of encoding/json in the words of lines.
func explain(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("a line is a JSON object, and this is a %s", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("%q cannot be a %s", wrong.Field, wrong.Value)
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return errors.New("the line is cut")
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: not JSON as tsnoop --json writes it: %w", syntax.Offset, err)
	}
	return err
}
