package send

import (
	"encoding/json"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// partial returns how many items a request had that were not taken, and what the collector
// says of that. It understands Export...ServiceResponse.
func (t *target) partial(body []byte) (rejected uint64, text string) {
	if t.JSON {
		return partialJSON(body)
	}
	_, part := field(body, 1)
	n, _ := field(part, 1)
	_, message := field(part, 2)
	return max(n, 0), string(message)
}

func partialJSON(body []byte) (rejected uint64, text string) {
	var r struct {
		PartialSuccess struct {
			RejectedSpans, RejectedLogRecords, RejectedDataPoints json.RawMessage
			ErrorMessage                                          string
		}
	}
	if json.Unmarshal(body, &r) != nil {
		return 0, ""
	}
	p := &r.PartialSuccess
	for _, raw := range []json.RawMessage{p.RejectedSpans, p.RejectedLogRecords, p.RejectedDataPoints} {
		digits := string(raw)
		if plain, err := strconv.Unquote(digits); err == nil {
			digits = plain
		}
		n, _ := strconv.ParseUint(digits, 10, 63)
		rejected += n
	}
	return rejected, p.ErrorMessage
}

// status returns the message of a Status, which answers may have that refuse a request.
func (t *target) status(body []byte) string {
	if t.JSON {
		var s struct{ Message string }
		json.Unmarshal(body, &s)
		return s.Message
	}
	_, text := field(body, 2)
	return string(text)
}

// field returns a field of a message: the number, or the bytes. If the message is not valid,
// there is none.
func field(b []byte, want protowire.Number) (x uint64, text []byte) {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return 0, nil
		}
		b = b[size:]
		size = protowire.ConsumeFieldValue(n, kind, b)
		if size < 0 {
			return 0, nil
		}
		if n == want {
			switch kind {
			case protowire.VarintType:
				x, _ = protowire.ConsumeVarint(b)
			case protowire.BytesType:
				text, _ = protowire.ConsumeBytes(b)
			}
		}
		b = b[size:]
	}
	return x, text
}
