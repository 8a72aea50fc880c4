// Package tracepoint describes the kernel's tracepoints by what their events have: fields, and
// how the kernel prints these.
package tracepoint

import (
	"slices"
	"strings"
)

// An Event is what the kernel records at a tracepoint.
type Event struct {
	System, Name string
	Fields       []Field // without those that all events have
	Print        string  // C code that prints a record: "print fmt"
}

// A Field is a field of an event, as its format file has it.
type Field struct {
	Name   string
	Type   string // C declaration without the name: "u8[4]", "__data_loc char[]"
	Size   int    // bytes
	Signed bool
}

// A Set is the events of a kernel.
type Set struct {
	Systems func() []string                           // sorted
	Events  func(system string) []string              // sorted; nil if there is no such system
	Event   func(system, name string) (*Event, error) // of those
}

// Title returns the event's name as specs have it: "sched:sched_switch".
func (e *Event) Title() string { return e.System + ":" + e.Name }

// Field returns the field of a name, nil if there is none.
func (e *Event) Field(name string) *Field {
	i := slices.IndexFunc(e.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &e.Fields[i]
}

// IsDynamic reports whether the field is a word that says where in the record its bytes are.
func (f *Field) IsDynamic() bool { return f.declared() != f.Type }

// declared returns the C type without what the kernel writes before a word of a dynamic field.
// Most words count from the beginning of the record, some from their own end.
func (f *Field) declared() string {
	return strings.TrimPrefix(strings.TrimPrefix(f.Type, "__data_loc "), "__rel_loc ")
}

// Element returns the C type of the field without its dimension, and whether it has one.
func (f *Field) Element() (name string, array bool) {
	name, _, array = strings.Cut(f.declared(), "[")
	return strings.TrimSpace(name), array
}

// IsText reports whether the field is text: an array of char.
func (f *Field) IsText() bool {
	name, array := f.Element()
	return array && strings.TrimPrefix(name, "const ") == "char" && strings.Count(f.Type, "[") == 1
}

// IsPointer reports whether the field is a pointer.
func (f *Field) IsPointer() bool {
	name, array := f.Element()
	return !array && strings.HasSuffix(name, "*")
}

// Filters reports whether the kernel's filter compares the field as tsnoop does: as a number,
// or as text. It takes a char * for text.
func (f *Field) Filters() bool {
	name, array := f.Element()
	if array || f.IsDynamic() {
		return f.IsText()
	}
	char := strings.Contains(name, "char") && strings.HasSuffix(name, "*")
	return !char && (f.Size == 1 || f.Size == 2 || f.Size == 4 || f.Size == 8)
}

// Holds reports whether the field, an address without a type, is that of the tracepoint's
// argument: skbaddr is that of skb.
func (f *Field) Holds(argument string) bool {
	if !f.IsPointer() || argument == "" {
		return false
	}
	rest, ok := strings.CutPrefix(f.Name, argument)
	return ok && slices.Contains([]string{"", "addr", "_addr", "ptr", "_ptr"}, rest)
}
