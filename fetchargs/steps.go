package fetchargs

import (
	"fmt"
	"strings"
)

// steps tells in words what a fetcharg does, innermost first: start from a
// register, read at an offset, and so on.
func steps(text string) []string {
	expr, typ, _ := strings.Cut(text, ":")
	var offsets []string
	for strings.HasSuffix(expr, ")") {
		open := strings.IndexByte(expr, '(')
		offsets = append(offsets, expr[:open])
		expr = expr[open+1 : len(expr)-1]
	}
	list := []string{start(expr)}
	for i := len(offsets) - 1; i >= 0; i-- {
		off, user := strings.CutPrefix(offsets[i], "+u")
		what := "read 8 bytes"
		if i == 0 {
			what = "read " + content(typ)
		}
		where := "there"
		if off = strings.TrimPrefix(off, "+"); off != "0" {
			where = off + " bytes on"
		}
		if rest, back := strings.CutPrefix(off, "-"); back {
			where = rest + " bytes before"
		}
		if user {
			where += " in user memory"
		}
		list = append(list, what+" "+where)
	}
	return list
}

func start(base string) string {
	switch {
	case strings.HasPrefix(base, "$arg"):
		return "take the register of argument " + base[4:]
	case base == "$retval":
		return "take the return value"
	case base == "$comm":
		return "take the task's name"
	case base == "$stack":
		return "take the stack pointer"
	case strings.HasPrefix(base, "$stack"):
		return "take word " + base[6:] + " of the stack"
	case base[0] == '\\':
		return "take the number " + base[1:]
	case base[0] == '@':
		return "take the variable " + base[1:]
	}
	return "take the register " + strings.TrimPrefix(base, "%")
}

func content(typ string) string {
	switch {
	case strings.HasSuffix(typ, "string"):
		return "a string"
	case strings.HasPrefix(typ, "b"):
		var width, shift, size int
		fmt.Sscanf(typ, "b%d@%d/%d", &width, &shift, &size)
		return fmt.Sprintf("%d bits from bit %d of %d bytes", width, shift, size/8)
	case strings.HasSuffix(typ, "]"):
		elem, n, _ := strings.Cut(strings.TrimSuffix(typ, "]"), "[")
		return fmt.Sprintf("%s times %s", n, content(elem))
	case typ == "symbol":
		return "8 bytes, a symbol"
	}
	var bits int
	fmt.Sscanf(typ[1:], "%d", &bits)
	return plural(bits/8, "byte")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
