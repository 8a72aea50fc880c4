package find

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
)

// eventArguments returns the arguments of an event's tracepoint, as far as types say. The
// kernel declares a function for each, whose first parameter is its own (since 5.10).
func eventArguments(t *target.Target, e *tracepoint.Event) []btf.Param {
	name := tracepointFunc(e.Name)
	if !t.Kernel.HasFunc(name) {
		return nil
	}
	f, err := t.Kernel.Func("", name)
	if err != nil || len(f.Params) == 0 {
		return nil
	}
	return f.Params[1:]
}

// tracepointFunc returns the name of the function that has the arguments of a tracepoint.
func tracepointFunc(event string) string { return "__traceiter_" + event }

// fieldType returns the type of a field. Its size is that of the field, or less: the parameters
// of a system call are fields of 8 bytes, of which the call takes as many as its type has, and
// programs leave anything in the others.
func fieldType(t *target.Target, e *tracepoint.Event, f *tracepoint.Field, words []tracepoint.Word, arguments []btf.Param) btf.Type {
	name, array := f.Element()
	switch {
	case f.IsDynamic() && f.IsText():
		return &btf.Array{Type: named(t, name, 1, f.Signed)}
	case f.IsDynamic():
		if name == "cpumask_t" { // as many words of it as the machine needs for its CPUs
			name = "long unsigned int"
		}
		elem := elementType(t, name)
		return &btf.Array{Type: elem, Nelems: dynevent.MaxElements}
	case array:
		elem := elementType(t, name)
		size, _ := btf.Size(elem)
		return &btf.Array{Type: elem, Nelems: uint32(f.Size / size)}
	case f.IsPointer():
		return pointerType(t, e, f, name, arguments)
	}
	typ := named(t, name, f.Size, f.Signed)
	if i, ok := btf.Strip(typ).(*btf.Int); ok && len(words) > 0 && i.Size <= 8 {
		enum := &btf.Enum{Size: i.Size, Signed: btf.Signed(i)}
		for _, w := range words {
			enum.Values = append(enum.Values, btf.EnumValue{Name: w.Text, Value: w.Value})
		}
		return enum
	}
	return typ
}

// named returns a type of the kernel if it is a number of so many bytes or less, else a number.
func named(t *target.Target, name string, size int, signed bool) btf.Type {
	if typ, err := t.Kernel.Type(name); err == nil {
		if n, known := btf.Size(typ); known && n > 0 && n <= size && (n == size || btf.IsNumber(typ)) {
			return typ
		}
	}
	i := &btf.Int{Name: name, Size: uint32(size)}
	if signed {
		i.Encoding = btf.IsSigned
	}
	return i
}

// elementType returns the type of an array's elements, bytes if it is not known.
func elementType(t *target.Target, name string) btf.Type {
	if typ, err := t.Kernel.Type(name); err == nil {
		if n, known := btf.Size(typ); known && slices.Contains([]int{1, 2, 4, 8}, n) {
			return typ
		}
	}
	return &btf.Int{Name: "u8", Size: 1}
}

// pointerType returns the type of a field that is a pointer. A void * has that of the argument
// whose value it is. The pointers of system calls lead into user memory. On a kernel that
// cannot follow them, text is shown as its address.
func pointerType(t *target.Target, e *tracepoint.Event, f *tracepoint.Field, name string, arguments []btf.Param) btf.Type {
	void := &btf.Pointer{Target: (*btf.Void)(nil)}
	typ, err := t.Kernel.Type(name)
	if err != nil || btf.Pointee(typ) == nil {
		typ = void
	}
	for _, a := range arguments {
		if btf.IsVoid(btf.Pointee(typ)) && f.Holds(a.Name) && btf.Pointee(a.Type) != nil {
			typ = a.Type
		}
	}
	if e.System == "syscalls" {
		typ = toUser(typ)
	}
	if !t.Features.Eprobe && strings.Contains(name, "char") {
		return void
	}
	return typ
}
