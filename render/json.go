package render

import (
	"bytes"
	"strconv"
	"time"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A jsonShape says what the "value" of a field is in JSON and what stands
// beside it.
type jsonShape uint8

const (
	jsonNumber  jsonShape = iota // a number
	jsonNamed                    // a number; "text" if that says more
	jsonReturn                   // a number; "errno" if it is one
	jsonAddress                  // "0x..."; "text" if it has a name; "errno" if it is an ERR_PTR
	jsonText                     // the text
	jsonBool                     // true or false
)

// appendJSON appends c as one line of JSON:
//
//	{"ts_ns":1,"cpu":0,"tid":7,"comm":"cat","func":"f","module":"m","caller":"g","caller_module":"m",
//	 "args":[{"name":"x","type":"int","value":1}],
//	 "ret":{"type":"int","value":-2,"errno":"ENOENT"},"ret_args":[...],"duration_ns":5,"stack":["f","g+0x10 [m]"],
//	 "errors":[{"name":"dev->name","fault":"dev=NULL"}],"orphan":true,"unfinished":true}
//
// What is not known is left out: "args" if the entry was not asked for or not
// seen, "ret" and "ret_args" likewise, "duration_ns" if either was not. "time"
// follows "ts_ns" with TimeClock. Of a call that is handed out in two, each part
// also has "call":1,"depth":0,"part":"begin" (or "end"); "args" come with the
// first and all else with the second.
//
// Integers are written in full, up to 20 digits; a reader that makes doubles
// of them rounds those over 2^53. Addresses are strings for that reason.
// Strings are UTF-8, with U+FFFD for each byte that is not, and then "bytes"
// (or "comm_bytes") has all of them in hexadecimal. A value that could not be
// read is null, and "errors" says why. Of an array or a struct that is longer than
// what is fetched of it, "size" is the length in bytes. What the calling program
// had in memory only when the function returned has "at":"return".
func (p *Printer) appendJSON(dst []byte, c *calls.Call) []byte {
	src := &p.sources[c.Plan]
	e := lastEvent(c)
	p.faults = p.faults[:0]

	dst = strconv.AppendUint(append(dst, `{"ts_ns":`...), e.Time, 10)
	if p.opts.Time == TimeClock {
		dst = p.wall(e.Time).AppendFormat(append(dst, `,"time":"`...), time.RFC3339Nano)
		dst = append(dst, '"')
	}
	dst = strconv.AppendInt(append(dst, `,"cpu":`...), int64(e.CPU), 10)
	dst = append(p.task.append(dst, src.comm(c), e.TID, appendJSONTask), src.json...)
	dst = p.appendCaller(dst, src, c)
	if c.ID != 0 {
		dst = appendJSONPart(dst, c)
	}
	if c.Entry != nil && (c.ID == 0 || c.Begun) {
		dst = p.appendJSONArgs(append(dst, `,"args":`...), src, c)
	}
	if c.Return != nil {
		dst = p.appendJSONReturn(dst, &src.ret, c.Return.Data)
	}
	if c.Entry != nil && c.Return != nil {
		dst = strconv.AppendUint(append(dst, `,"duration_ns":`...), c.Duration, 10)
	}
	if c.ID == 0 || c.Begun {
		dst = p.appendJSONStack(dst, c)
	}
	if len(p.faults) > 0 {
		dst = append(append(append(dst, `,"errors":[`...), p.faults...), ']')
	}
	if c.Orphan {
		dst = append(dst, `,"orphan":true`...)
	}
	if c.Unfinished {
		dst = append(dst, `,"unfinished":true`...)
	}
	return append(dst, '}', '\n')
}

// appendJSONPart appends which part of a call it is that is handed out in two.
func appendJSONPart(dst []byte, c *calls.Call) []byte {
	dst = strconv.AppendUint(append(dst, `,"call":`...), c.ID, 10)
	dst = strconv.AppendInt(append(dst, `,"depth":`...), int64(c.Depth), 10)
	if c.Begun {
		return append(dst, `,"part":"begin"`...)
	}
	return append(dst, `,"part":"end"`...)
}

// appendJSONTask appends the members that are about a task.
func appendJSONTask(dst, comm []byte, tid int) []byte {
	dst = strconv.AppendInt(append(dst, `,"tid":`...), int64(tid), 10)
	return append(appendJSONText(append(dst, ','), "comm", "comm_bytes", comm), ',')
}

// appendJSONCaller appends the members that are about a caller.
func appendJSONCaller(dst []byte, by caller, o *Options) []byte {
	dst = appendJSONMember(dst, "caller", by.name)
	if o.Verbose {
		dst = strconv.AppendUint(append(dst, `,"caller_offset":`...), by.off, 10)
	}
	if by.module != "" {
		dst = appendJSONMember(dst, "caller_module", by.module)
	}
	return dst
}

func (p *Printer) appendJSONReturn(dst []byte, s *side, data []byte) []byte {
	if r := s.result; r != nil {
		dst = append(append(dst, `,"ret":{`...), r.typed...)
		dst = append(p.appendJSONField(dst, s, r, data), '}')
	}
	if len(s.fields) > 0 {
		dst = p.appendJSONFields(append(dst, `,"ret_args":`...), s, data)
	}
	return dst
}

// appendJSONArgs appends the values of the entry as an array of objects.
func (p *Printer) appendJSONArgs(dst []byte, src *source, c *calls.Call) []byte {
	dst = append(dst, '[')
	for i := range src.entry.fields {
		f := &src.entry.fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '{'), f.json...)
		if val, ok := src.atReturn(f, c); ok {
			dst = append(p.appendJSONValue(dst, f.again, val), `,"at":"return"}`...)
			continue
		}
		dst = append(p.appendJSONField(dst, &src.entry, f, c.Entry.Data), '}')
	}
	return append(dst, ']')
}

// appendJSONFields appends the fields of s as an array of objects.
func (p *Printer) appendJSONFields(dst []byte, s *side, data []byte) []byte {
	dst = append(dst, '[')
	for i := range s.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		f := &s.fields[i]
		dst = append(append(dst, '{'), f.json...)
		dst = append(p.appendJSONField(dst, s, f, data), '}')
	}
	return append(dst, ']')
}

// appendJSONField appends "value" and what stands beside it.
func (p *Printer) appendJSONField(dst []byte, s *side, f *shown, data []byte) []byte {
	if f.plain {
		return p.appendJSONInteger(dst, &f.view, f.where.Load(data))
	}
	return p.appendJSONValue(dst, f, s.dec.Value(f.index, data))
}

func (p *Printer) appendJSONValue(dst []byte, f *shown, val value.Value) []byte {
	v := &f.view
	switch val.Kind {
	case value.Uint, value.Int:
		return p.appendJSONInteger(dst, v, val.Uint)
	case value.Text, value.Bytes:
		if v.isText(val) {
			return appendJSONText(dst, "value", "bytes", untilNUL(val.Bytes))
		}
		dst = p.appendJSONArray(append(dst, `"value":`...), v, val.Bytes)
		if v.cut != nil {
			dst = strconv.AppendInt(append(dst, `,"size":`...), int64(v.field.Whole), 10)
		}
		return dst
	case value.Fault:
		p.addFault(f, val)
	}
	return append(dst, `"value":null`...)
}

// appendJSONInteger appends a number, as decoded, with its name if it has one.
func (p *Printer) appendJSONInteger(dst []byte, v *view, x uint64) []byte {
	x = v.number(x)
	dst = append(dst, `"value":`...)
	start := len(dst)
	dst = p.appendJSONNumber(dst, v, x)
	if v.json == jsonNumber {
		return dst
	}
	plain := dst[start:]
	if v.json == jsonNamed || v.json == jsonAddress && x != 0 {
		p.text = v.text(v, p.text[:0], x)
		if !bytes.Equal(p.text, bytes.Trim(plain, `"`)) {
			dst, _ = appendJSONString(append(dst, `,"text":`...), p.text)
		}
	}
	if name := returnedErrno(x); name != "" && (v.json == jsonReturn || v.json == jsonAddress) {
		dst = appendJSONMember(dst, "errno", name)
	}
	return dst
}

// appendJSONNumber appends the value of one number.
func (p *Printer) appendJSONNumber(dst []byte, v *view, x uint64) []byte {
	switch {
	case v.json == jsonBool && x <= 1:
		return strconv.AppendBool(dst, x == 1)
	case v.json == jsonAddress:
		return append(hexText(v, append(dst, '"'), x), '"')
	case v.json == jsonText:
		p.text = v.text(v, p.text[:0], x)
		dst, _ = appendJSONString(dst, p.text)
		return dst
	}
	return decimalText(v, dst, x)
}

// appendJSONArray appends the value of an array: the text of it where a block
// of bytes has one, else an array.
func (p *Printer) appendJSONArray(dst []byte, v *view, b []byte) []byte {
	all := b
	if v.block != nil && (v.unit == 0 || len(b) == v.unit) {
		p.text = v.block(p.text[:0], b)
		dst, _ = appendJSONString(dst, p.text)
		return dst
	}
	dst = append(dst, '[')
	for i := 0; v.more(b); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.block != nil && len(b) >= v.unit {
			p.text, b = v.block(p.text[:0], b[:v.unit]), b[v.unit:]
			dst, _ = appendJSONString(dst, p.text)
			continue
		}
		var x uint64
		x, b = v.next(b)
		dst = p.appendJSONNumber(dst, v, x)
	}
	dst = append(dst, ']')
	if v.json == jsonNamed || v.json == jsonAddress {
		p.text = v.appendArray(p.text[:0], all)
		dst, _ = appendJSONString(append(dst, `,"text":`...), p.text)
	}
	return dst
}

// addFault notes that f could not be read, for "errors".
func (p *Printer) addFault(f *shown, val value.Value) {
	if len(p.faults) > 0 {
		p.faults = append(p.faults, ',')
	}
	p.text = appendFault(p.text[:0], "", val)
	name, _ := appendJSONString(append(p.faults, `{"name":`...), f.label[:len(f.label)-1])
	fault, _ := appendJSONString(append(name, `,"fault":`...), p.text)
	p.faults = append(fault, '}')
}

// appendJSONText appends b as a member, and its bytes if it is not UTF-8.
func appendJSONText(dst []byte, name, bytesName string, b []byte) []byte {
	dst = append(append(append(dst, '"'), name...), `":`...)
	dst, exact := appendJSONString(dst, b)
	if exact {
		return dst
	}
	dst = append(append(append(dst, `,"`...), bytesName...), `":"`...)
	for _, c := range b {
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, '"')
}

// appendJSONMember appends a further member of an object.
func appendJSONMember(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	dst, _ = appendJSONString(dst, []byte(value))
	return dst
}

// jsonFunction is what a line says of the function, as members of an object.
func jsonFunction(plan *fetchargs.Plan) []byte {
	dst := appendJSONMember(nil, "func", functionName(plan))
	if module := moduleName(plan); module != "" {
		dst = appendJSONMember(dst, "module", module)
	}
	return dst[1:] // without the first comma
}

// jsonField is what a line says of f beside its value.
func jsonField(f *value.Field) (nameAndType, onlyType []byte) {
	if f.Type != nil {
		onlyType = append(appendJSONMember(nil, "type", btf.Name(f.Type))[1:], ',')
	}
	nameAndType = append(appendJSONMember(nil, "name", f.Label)[1:], ',')
	return append(nameAndType, onlyType...), onlyType
}
