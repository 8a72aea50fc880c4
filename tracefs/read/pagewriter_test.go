package read

import (
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

var testLayouts = []ringbuf.Layout{
	{LongSize: 8}, {LongSize: 4}, {BigEndian: true, LongSize: 8}, {BigEndian: true, LongSize: 4},
}

// A pageWriter writes pages as the kernel does. Each record has one more than
// the one before for its TID and its only field.
type pageWriter struct {
	ringbuf.Layout
	serial uint32
}

const knownID, otherID = 1500, 1502

// page makes a page of words: 12 is a record of event knownID at time 12, 12?
// one of an event that nobody asked for, 12- one without room for the common
// fields, ! one that runs over the end. +5 or +? in front is how many were lost.
func (w *pageWriter) page(t testing.TB, text string) []byte {
	t.Helper()
	var body, behind []byte
	var flags uint32
	var begin, now uint64
	for word := range strings.FieldsSeq(text) {
		number, kind := strings.TrimRight(word, "?-"), word[len(word)-1]
		switch {
		case word == "+?":
			flags = 1 << 31
		case word == "!":
			body = w.word(body, 28)
		case word[0] == '+':
			flags, behind = 3<<30, w.long(nil, parseUint(t, word[1:]))
		default:
			at := parseUint(t, number)
			if begin == 0 {
				begin, now = at, at
			}
			body = w.record(body, uint32(at-now), kind)
			now = at
		}
	}
	page := w.order().AppendUint64(nil, begin)
	page = w.long(page, uint64(flags|uint32(len(body))))
	return append(append(page, body...), behind...)
}

// record appends a record delta after the one before.
func (w *pageWriter) record(b []byte, delta uint32, kind byte) []byte {
	if kind == '-' {
		return append(w.word(b, 1|delta<<5), 0, 0, 0, 0)
	}
	id := uint16(knownID)
	if kind == '?' {
		id = otherID
	}
	w.serial++
	b = w.word(b, 3|delta<<5)
	b = append(w.order().AppendUint16(b, id), 0, 0)
	return w.order().AppendUint32(w.order().AppendUint32(b, w.serial), w.serial)
}

// word appends a record's first word, given as it is in little endian.
func (w *pageWriter) word(b []byte, n uint32) []byte {
	if w.BigEndian {
		n = n<<27 | n>>5
	}
	return w.order().AppendUint32(b, n)
}

func (w *pageWriter) long(b []byte, n uint64) []byte {
	if w.LongSize == 4 {
		return w.order().AppendUint32(b, uint32(n))
	}
	return w.order().AppendUint64(b, n)
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func (w *pageWriter) order() byteOrder {
	if w.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func parseUint(t testing.TB, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
