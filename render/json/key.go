package json

import (
	"strconv"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render/sum"
)

// appendKeys appends the keys of a row, as an array unless there is only one.
func (p *Printer) appendKeys(dst []byte, keys []sum.Key) []byte {
	if len(keys) == 1 {
		return p.appendKey(dst, &keys[0])
	}
	for i := range keys {
		before := byte(',')
		if i == 0 {
			before = '['
		}
		dst = p.appendKey(append(dst, before), &keys[i])
	}
	return append(dst, ']')
}

// appendKey appends a key:
//
//	{"name":"comm","value":"cat"}
//	{"name":"caller","value":"f","module":"m"}
//	{"name":"stack","value":["f","g [m]"]}
//	{"name":"skb->dev->name","value":null,"fault":"skb->dev=NULL"}
//	{"name":"count","others":true}
//
// A value is as in the object of a call, null if it is not known. The last form is for
// the calls that are in no other row.
func (p *Printer) appendKey(dst []byte, k *sum.Key) []byte {
	dst = append(append(dst, '{'), appendMember(nil, "name", k.By)[1:]...)
	switch {
	case k.Others:
		return append(dst, `,"others":true}`...)
	case k.Fault != "":
		dst = appendMember(append(dst, `,"value":null`...), "fault", k.Fault)
	case k.Stack != nil:
		dst = append(dst, `,"value":`...)
		for i, function := range k.Stack {
			before := byte(',')
			if i == 0 {
				before = '['
			}
			dst, _ = appendString(append(dst, before), []byte(function))
		}
		dst = append(dst, ']')
	case k.Text != nil:
		dst = appendText(append(dst, ','), "value", "bytes", k.Text)
		if k.Module != "" {
			dst = appendMember(dst, "module", k.Module)
		}
	case k.Field != nil && k.Value.Kind != value.None:
		dst = p.AppendValue(append(dst, ','), k.Field, k.Value)
	default:
		dst = append(dst, `,"value":null`...)
	}
	return append(dst, '}')
}

// appendNumbers appends the numbers of the calls, with histograms by powers of two:
//
//	[{"name":"count","calls":9,"unknown":1,"total":4711,"mean":523.444,"min":0,"max":4096,
//	  "histogram":[{"least":0,"most":0,"calls":2},{"least":1024,"most":2047,"calls":7}]}]
//
// "unknown" counts the calls whose number is not known.
func appendNumbers(dst []byte, names []string, all []sum.Numbers) []byte {
	dst = append(dst, '[')
	for i := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		h := &all[i]
		dst = append(append(dst, '{'), appendMember(nil, "name", names[i])[1:]...)
		dst = appendCount(dst, "calls", h.Count)
		if h.Unknown > 0 {
			dst = appendCount(dst, "unknown", h.Unknown)
		}
		if h.Count > 0 {
			dst = appendRanges(dst, h)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendRanges(dst []byte, h *sum.Numbers) []byte {
	dst = h.Total().Append(append(dst, `,"total":`...), 10)
	dst = sum.AppendMean(append(dst, `,"mean":`...), h.Mean())
	dst = appendInt(append(dst, `,"min":`...), h.Min)
	dst = appendInt(append(dst, `,"max":`...), h.Max)
	dst = append(dst, `,"histogram":[`...)
	start := len(dst)
	for r := range h.Ranges {
		if r.Count == 0 {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = appendInt(append(dst, `{"least":`...), r.Least)
		dst = appendInt(append(dst, `,"most":`...), r.Most)
		dst = append(appendCount(dst, "calls", r.Count), '}')
	}
	return append(dst, ']')
}

func appendInt(dst []byte, n sum.Number) []byte {
	if n.Signed {
		return strconv.AppendInt(dst, int64(n.Value), 10)
	}
	return strconv.AppendUint(dst, n.Value, 10)
}
