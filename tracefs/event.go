package tracefs

import "encoding/binary"

// An Event is one record of a trace buffer. Data is laid out as Format says
// and, like Comm and Stack, is valid only until the next event is read.
type Event struct {
	Format *Format
	Time   uint64 // ns on the instance's trace clock
	CPU    int
	TID    int
	Comm   []byte   // the task's name, if the reader knows it; may be empty
	Data   []byte   // the whole record, starting with common_type
	Lost   uint64   // events lost on this CPU before this one; LostUnknown if the kernel did not count
	Stack  []uint64 // kernel stack addresses, innermost first; set by read.JoinStacks

	// Losing is set if events were lost on another CPU that may be earlier than this one;
	// the next event of that CPU will say so.
	Losing bool
}

// LostUnknown is the value of Event.Lost if events were lost but not counted.
const LostUnknown = ^uint64(0)

// A Format describes the records of one event, as events/GROUP/NAME/format does.
//
// See Documentation/trace/events.rst, "Event formats".
type Format struct {
	Group, Name string
	ID          int
	Fields      []FormatField
	Size        int    // bytes of the fixed part of a record
	Print       string // "print fmt", C code

	byName map[string]int // indexes in Fields; nil if there are few: see Field

	// Set for an event of many functions, see Share.
	Whole  *Format // of a part: the format of the event
	parts  map[uint64]*Format
	partAt int // bytes: where a record has the address of the function
}

// A FormatField is one field of a record.
type FormatField struct {
	Name    string
	Type    string // C declaration without the name: "u8[4]", "__data_loc char[]"
	Offset  int    // bytes from the start of the record
	Size    int    // bytes
	Signed  bool
	DataLoc bool // a u32 (length<<16 | offset) that points to the data in the same record
	Array   bool

	Relative bool // the offset of a DataLoc counts from the end of its word: "__rel_loc char[]"
}

// Share makes part the format of those records of the event that have addr in a field, the
// address of a function. Records with another address are skipped from then on. The IDs of
// parts are negative, as no ID of the kernel is. It reports false if there is no such field.
func (f *Format) Share(field string, addr uint64, part *Format) bool {
	at := f.Field(field)
	if at == nil || at.Size != 8 {
		return false
	}
	if f.parts == nil {
		f.parts = map[uint64]*Format{}
	}
	f.partAt, f.parts[addr] = at.Offset, part
	part.Whole, part.parts = f, nil
	return true
}

// Shared reports whether functions share the event.
func (f *Format) Shared() bool { return f.parts != nil }

// Part returns the format of a record of the event, nil if it is to be skipped.
func (f *Format) Part(data []byte, big bool) *Format {
	switch {
	case f.partAt+8 > len(data):
		return nil
	case big:
		return f.parts[binary.BigEndian.Uint64(data[f.partAt:])]
	}
	return f.parts[binary.LittleEndian.Uint64(data[f.partAt:])]
}
