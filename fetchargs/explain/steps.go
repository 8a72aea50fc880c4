package explain

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
)

// steps describes in words what a fetcharg does, innermost first: start from a register,
// read at an offset, and so on.
func steps(a *dynevent.Arg) []string {
	low := a.Lowered()
	a = &low
	list := []string{start(a.Base)}
	for i, h := range a.Hops {
		what := "read 8 bytes"
		if i == len(a.Hops)-1 {
			what = "read " + whatIsRead(a)
		}
		where := "there"
		switch {
		case h.Offset > 0:
			where = plural.Of(h.Offset, "byte") + " on"
		case h.Offset < 0:
			where = plural.Of(-h.Offset, "byte") + " before"
		}
		if h.User {
			where += " in user memory"
		}
		list = append(list, what+" "+where)
	}
	return list
}

func start(b dynevent.Base) string {
	if b == dynevent.Eprobe.Comm().Base {
		return "take the task's name"
	}
	switch b.Kind {
	case dynevent.ArgN:
		return fmt.Sprintf("take the register of argument %d", b.N)
	case dynevent.Retval:
		return "take the return value"
	case dynevent.Comm:
		return "take the task's name"
	case dynevent.Current:
		return "take the running task"
	case dynevent.Field, dynevent.FieldText, dynevent.FieldArray:
		return "take the field " + b.Name
	case dynevent.StackPointer:
		return "take the stack pointer"
	case dynevent.StackN:
		return fmt.Sprintf("take word %d of the stack", b.N)
	case dynevent.Immediate:
		return "take the number " + b.String()[1:]
	case dynevent.EmptyText:
		return "take an empty text"
	case dynevent.Memory:
		return "take the variable " + b.String()[1:]
	}
	return "take the register " + b.Name
}

func whatIsRead(a *dynevent.Arg) string {
	one := kept(a.Type)
	if a.Count > 0 {
		return fmt.Sprintf("%d times %s", a.Count, one)
	}
	return one
}

func kept(t dynevent.Type) string {
	switch {
	case t == dynevent.String || t == dynevent.Ustring:
		return "a string"
	case t.Bits > 0:
		return fmt.Sprintf("%s from bit %d of %s", plural.Of(t.Bits, "bit"), t.Shift, plural.Of(t.Size, "byte"))
	case t.Name == "symbol":
		return "8 bytes, a symbol"
	}
	return plural.Of(t.Size, "byte")
}
