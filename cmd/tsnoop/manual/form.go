package manual

import (
	"strings"
	"unicode/utf8"
)

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// isHeading recognizes "Output:", of up to 31 characters, none of them a full stop.
func isHeading(line string) bool {
	title, ok := strings.CutSuffix(line, ":")
	return ok && title != "" && strings.ContainsAny(title[:1], upper) && !strings.Contains(title, ".") &&
		utf8.RuneCountInString(title) <= 31
}

// isTitled recognizes lines that have their heading before them.
func isTitled(line string) bool {
	return strings.HasPrefix(line, "Exit status:") || strings.HasPrefix(line, "Example:")
}

// isGrammar recognizes "SPEC   = ...".
func isGrammar(line string) bool {
	after := strings.TrimLeft(line, upper)
	return after != line && strings.HasPrefix(after, " ") && strings.HasPrefix(strings.TrimLeft(after, " "), "=")
}

// A form of lines of a list splits those that begin an entry into a name and its
// explanation.
type form func(line string) (name, text string, ok bool)

func matches(f form, line string) bool {
	_, _, ok := f(line)
	return ok
}

// flag splits "  -x, --long VALUE   explanation", which may lack any but one of its flags.
func flag(line string) (name, text string, ok bool) {
	name, text, _ = strings.Cut(strings.TrimLeft(line, " "), "  ")
	long := name
	if isShort(name) && strings.HasPrefix(name[2:], ", ") {
		long = name[4:]
	}
	ok = strings.HasPrefix(line, " ") && (strings.HasPrefix(long, "--") || len(long) == 2 && isShort(long))
	return name, strings.TrimLeft(text, " "), ok
}

// isShort reports whether text begins with a dash and a letter.
func isShort(text string) bool {
	return len(text) >= 2 && text[0] == '-' && 'a' <= text[1]|0x20 && text[1]|0x20 <= 'z'
}

// term splits "name   explanation".
func term(line string) (name, text string, ok bool) {
	name, text, _ = strings.Cut(line, "  ")
	text = strings.TrimLeft(text, " ")
	return name, text, name != "" && name[0] != ' ' && text != ""
}
