package perfetto

import (
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/render"
	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields, as protos/perfetto/trace of github.com/google/perfetto publishes them
// (November 2026).
const (
	tracePacket = 1 // Trace.packet

	packetClockSnapshot   = 6 // TracePacket
	packetTimestamp       = 8
	packetSequence        = 10 // trusted_packet_sequence_id
	packetTrackEvent      = 11
	packetSequenceFlags   = 13
	packetClock           = 58 // timestamp_clock_id
	packetTrackDescriptor = 60

	stateCleared = 1 // TracePacket.SequenceFlags: SEQ_INCREMENTAL_STATE_CLEARED

	snapshotClocks = 1 // ClockSnapshot
	clockID        = 1 // ClockSnapshot.Clock
	clockTimestamp = 2

	trackUUID    = 1 // TrackDescriptor
	trackName    = 2
	trackProcess = 3
	trackThread  = 4
	trackParent  = 5
	trackCounter = 8

	processPID  = 1 // ProcessDescriptor
	processName = 6
	threadPID   = 1 // ThreadDescriptor
	threadTID   = 2
	threadName  = 5
	counterUnit = 3 // CounterDescriptor
	unitCount   = 2

	eventAnnotations = 4 // TrackEvent: debug_annotations
	eventType        = 9
	eventTrack       = 11
	eventCategories  = 22
	eventName        = 23
	eventCounter     = 30 // counter_value

	typeBegin   = 1 // TrackEvent.Type
	typeEnd     = 2
	typeInstant = 3
	typeCounter = 4

	annotationBool    = 2 // DebugAnnotation
	annotationUint    = 3
	annotationInt     = 4
	annotationString  = 6
	annotationPointer = 7
	annotationJSON    = 9 // legacy_json_value
	annotationName    = 10
)

// BuiltinClock.
const (
	clockRealtime     = 1
	clockMonotonic    = 3
	clockMonotonicRaw = 5
	clockBoottime     = 6
	clockOwn          = 64 // the first of those that only a sequence knows
)

func appendNumber(dst []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), n)
}

func appendBytes[T string | []byte](dst []byte, field protowire.Number, b T) []byte {
	dst = protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.BytesType), uint64(len(b)))
	return append(dst, b...)
}

// appendText appends a string, which has to be UTF-8: bytes that are not become \xNN.
func appendText[T string | []byte](dst []byte, field protowire.Number, text T) []byte {
	if b := []byte(text); !utf8.Valid(b) {
		return appendBytes(dst, field, render.AppendEscaped(nil, b, render.NoQuote))
	}
	return appendBytes(dst, field, text)
}
