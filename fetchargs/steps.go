package fetchargs

import "fmt"

// steps describes in words what a fetcharg does, innermost first: start from a register,
// read at an offset, and so on.
func (a *Arg) steps() []string {
	low := a.lowered()
	a = &low
	list := []string{a.Base.start()}
	for i, h := range a.Hops {
		what := "read 8 bytes"
		if i == len(a.Hops)-1 {
			what = "read " + a.content()
		}
		where := "there"
		switch {
		case h.Offset > 0:
			where = fmt.Sprintf("%d bytes on", h.Offset)
		case h.Offset < 0:
			where = fmt.Sprintf("%d bytes before", -h.Offset)
		}
		if h.User {
			where += " in user memory"
		}
		list = append(list, what+" "+where)
	}
	return list
}

func (b Base) start() string {
	switch b.Kind {
	case ArgN:
		return fmt.Sprintf("take the register of argument %d", b.N)
	case Retval:
		return "take the return value"
	case Comm:
		return "take the task's name"
	case Current:
		return "take the running task"
	case StackPointer:
		return "take the stack pointer"
	case StackN:
		return fmt.Sprintf("take word %d of the stack", b.N)
	case Immediate:
		return "take the number " + b.String()[1:]
	case Memory:
		return "take the variable " + b.String()[1:]
	}
	return "take the register " + b.Name
}

func (a *Arg) content() string {
	one := a.Type.content()
	if a.Count > 0 {
		return fmt.Sprintf("%d times %s", a.Count, one)
	}
	return one
}

func (t Type) content() string {
	switch {
	case t == stringType || t == ustringType:
		return "a string"
	case t.Bits > 0:
		return fmt.Sprintf("%d bits from bit %d of %d bytes", t.Bits, t.Shift, t.Size)
	case t.Name == "symbol":
		return "8 bytes, a symbol"
	}
	return plural(t.Size, "byte")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
