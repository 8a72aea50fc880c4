package spec

import (
	"fmt"
	"strconv"
	"strings"
)

// IsPlace reports whether an entry's value is at the place where its steps lead, instead
// of being read by the last step.
func IsPlace(x *Typed) bool { return x.Count > 0 || x.Type.Text == "string" }

// TypedName returns the type of an entry as it is written.
func TypedName(x *Typed) string {
	if x.Count > 0 {
		return fmt.Sprintf("%s[%d]", x.Type.Text, x.Count)
	}
	return x.Type.Text
}

// CalledName returns the name of an expression's value if the user gives it none.
func CalledName(x Expr) string {
	e, ok := x.(*Typed)
	switch {
	case !ok:
		return x.String()
	case e.Name.Text != "":
		return e.Name.Text
	case e.X != nil:
		return e.X.String()
	}
	return e.Addr.Text
}

// IsDuration reports whether x is duration or $duration.
func IsDuration(x Expr) bool {
	switch x := x.(type) {
	case *Ident:
		return x.Text == "duration"
	case *Builtin:
		return x.Text == "$duration"
	}
	return false
}

// ValueOf says what since(...) and who(...) are.
func ValueOf(who bool) string {
	if who {
		return "a task"
	}
	return "a duration"
}

// SplitFormat returns the name and the count of a FORMAT; the count is 0 if it has
// none. The parser has checked that the count is a number.
func SplitFormat(format string) (name string, count int) {
	name, digits, counted := strings.Cut(strings.TrimSuffix(format, "]"), "[")
	if counted {
		count, _ = strconv.Atoi(digits)
	}
	return name, count
}
