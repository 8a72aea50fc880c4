package json

import (
	"strconv"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// version is that of the form of the lines. One that knows it can read later tsnoops with the
// same version, which only add members and kinds of lines.
const version = 1

// Origin appends where and when the trace was made:
//
//	{"origin":{"host":"h","machine_id":"...","boot_id":"...","kernel":"6.12.1","arch":"x86_64","recorder":"tsnoop v1",
//	 "specs":["vfs_read(count)"],"clock":"mono",
//	 "began":{"time":"2026-11-24T22:00:00.1Z","wall_ns":1,"ts_ns":2,"max_error_ns":3,"synchronized":true},"ended":{...}},"v":1}
//
// Unknown values are left out. "wall_ns" is the time since 1970 at "ts_ns" of the trace
// clock; "max_error_ns" is null if the kernel does not say how far it may be off. If there are
// several recordings, "host" and "file" follow the origin, and if they are known "offset_ns",
// which added to "ts_ns" is "wall_ns", and "drift_ns", by how much that changed from the start
// to the end.
func (p *Printer) Origin(dst []byte, o *tracefs.Origin) []byte {
	start := len(dst)
	for _, m := range [...]struct{ name, text string }{
		{"host", o.Host}, {"machine_id", o.MachineID}, {"boot_id", o.BootID}, {"kernel", o.Kernel}, {"arch", o.Arch}, {"recorder", o.Recorder},
	} {
		if m.text != "" {
			dst = appendMember(dst, m.name, m.text)
		}
	}
	if o.Specs != nil {
		dst = append(dst, `,"specs":`...)
		for i, spec := range o.Specs {
			before := byte(',')
			if i == 0 {
				before = '['
			}
			dst, _ = appendString(append(dst, before), []byte(spec))
		}
		dst = append(dst, ']')
	}
	if o.Clock != "" {
		dst = appendMember(dst, "clock", o.Clock)
	}
	dst = appendMoment(dst, `,"began":`, o.Began)
	dst = appendMoment(dst, `,"ended":`, o.Ended)
	about := p.about()
	if len(dst) == start && about == nil {
		return dst
	}
	members := strings.TrimPrefix(string(dst[start:]), ",")
	dst = append(append(append(dst[:start], `{"origin":{`...), members...), '}')
	if about != nil {
		dst = appendMember(p.appendHost(dst), "file", about.File)
		dst = appendOffset(dst, `,"offset_ns":`, about.Wall)
		dst = appendOffset(dst, `,"drift_ns":`, about.Drift)
	}
	return append(appendCount(dst, "v", version), "}\n"...)
}

func appendOffset(dst []byte, name string, ns *int64) []byte {
	if ns == nil {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), *ns, 10)
}

func appendMoment(dst []byte, name string, m *tracefs.Moment) []byte {
	if m == nil {
		return dst
	}
	dst = append(append(dst, name...), `{"time":"`...)
	dst = time.Unix(0, m.Wall).UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = strconv.AppendInt(append(dst, `","wall_ns":`...), m.Wall, 10)
	dst = strconv.AppendUint(append(dst, `,"ts_ns":`...), m.Trace, 10)
	dst = append(dst, `,"max_error_ns":`...)
	if m.MaxError == nil {
		return append(dst, "null}"...)
	}
	dst = strconv.AppendInt(dst, *m.MaxError, 10)
	return append(strconv.AppendBool(append(dst, `,"synchronized":`...), m.Synced), '}')
}
