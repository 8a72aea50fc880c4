package otlpjson

import "google.golang.org/protobuf/encoding/protowire"

// A kind says how JSON writes a field.
type kind uint8

const (
	text    kind = iota
	hex          // bytes that are an id
	base64       // other bytes
	boolean      // a varint
	number       // a varint of 32 bits, or an enum
	signed       // a zigzag of 32 bits
	int64s       // a varint of 64 bits, which JSON writes as text
	fixed64      // the same in 8 bytes
	fixed32      // a number in 4 bytes
	double       // 8 bytes
	packed       // varints of 64 bits, one after the other
	message
)

// A field of a message. A message, and what is packed, is in an array if there may be many.
type field struct {
	name string
	kind kind
	many bool
	of   fields // of a message
}

// fields are the fields of a message that the exporter writes.
type fields map[protowire.Number]field

// Messages, from those within others to requests.
var (
	anyValue = fields{
		1: {name: "stringValue"}, 2: {name: "boolValue", kind: boolean}, 3: {name: "intValue", kind: int64s},
		4: {name: "doubleValue", kind: double}, 5: {name: "arrayValue", kind: message, of: arrayValue},
		6: {name: "kvlistValue", kind: message, of: keyValues}, 7: {name: "bytesValue", kind: base64},
	}
	arrayValue = fields{}
	keyValues  = fields{}
	keyValue   = fields{1: {name: "key"}, 2: {name: "value", kind: message, of: anyValue}}

	resource = fields{1: attributes}
	scope    = fields{1: {name: "name"}, 2: {name: "version"}}

	attributes = field{name: "attributes", kind: message, many: true, of: keyValue}

	link = fields{
		1: {name: "traceId", kind: hex}, 2: {name: "spanId", kind: hex}, 3: {name: "traceState"}, 4: attributes,
		6: {name: "flags", kind: fixed32},
	}
	status = fields{2: {name: "message"}, 3: {name: "code", kind: number}}
	span   = fields{
		1: {name: "traceId", kind: hex}, 2: {name: "spanId", kind: hex}, 4: {name: "parentSpanId", kind: hex},
		5: {name: "name"}, 6: {name: "kind", kind: number},
		7: {name: "startTimeUnixNano", kind: fixed64}, 8: {name: "endTimeUnixNano", kind: fixed64},
		9: attributes, 13: {name: "links", kind: message, many: true, of: link},
		15: {name: "status", kind: message, of: status},
	}
	logRecord = fields{
		1: {name: "timeUnixNano", kind: fixed64}, 2: {name: "severityNumber", kind: number}, 3: {name: "severityText"},
		5: {name: "body", kind: message, of: anyValue}, 6: attributes,
		9: {name: "traceId", kind: hex}, 10: {name: "spanId", kind: hex},
		11: {name: "observedTimeUnixNano", kind: fixed64}, 12: {name: "eventName"},
	}

	numberPoint = fields{
		2: {name: "startTimeUnixNano", kind: fixed64}, 3: {name: "timeUnixNano", kind: fixed64},
		6: {name: "asInt", kind: fixed64}, 7: attributes,
	}
	buckets = fields{1: {name: "offset", kind: signed}, 2: {name: "bucketCounts", kind: packed}}
	point   = fields{
		1: attributes, 2: {name: "startTimeUnixNano", kind: fixed64}, 3: {name: "timeUnixNano", kind: fixed64},
		4: {name: "count", kind: fixed64}, 5: {name: "sum", kind: double}, 6: {name: "scale", kind: signed},
		7: {name: "zeroCount", kind: fixed64}, 8: {name: "positive", kind: message, of: buckets},
		12: {name: "min", kind: double}, 13: {name: "max", kind: double},
	}
	sum = fields{
		1: {name: "dataPoints", kind: message, many: true, of: numberPoint},
		2: {name: "aggregationTemporality", kind: number}, 3: {name: "isMonotonic", kind: boolean},
	}
	histogram = fields{
		1: {name: "dataPoints", kind: message, many: true, of: point},
		2: {name: "aggregationTemporality", kind: number},
	}
	metric = fields{
		1: {name: "name"}, 2: {name: "description"}, 3: {name: "unit"},
		7: {name: "sum", kind: message, of: sum}, 10: {name: "exponentialHistogram", kind: message, of: histogram},
	}

	traces  = request("resourceSpans", "scopeSpans", "spans", span)
	logs    = request("resourceLogs", "scopeLogs", "logRecords", logRecord)
	metrics = request("resourceMetrics", "scopeMetrics", "metrics", metric)
)

func init() { // messages within themselves
	arrayValue[1] = field{name: "values", kind: message, many: true, of: anyValue}
	keyValues[1] = field{name: "values", kind: message, many: true, of: keyValue}
}

// request returns the fields of a request.
func request(resources, scopes, items string, item fields) fields {
	ofScope := fields{
		1: {name: "scope", kind: message, of: scope},
		2: {name: items, kind: message, many: true, of: item},
	}
	ofResource := fields{
		1: {name: "resource", kind: message, of: resource},
		2: {name: scopes, kind: message, many: true, of: ofScope},
	}
	return fields{1: {name: resources, kind: message, many: true, of: ofResource}}
}
