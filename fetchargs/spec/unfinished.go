package spec

import "strings"

// Hole is the name that Finish puts in place of the next word of a spec.
const Hole = "tsnoop_hole"

// An Unfinished is a spec that ends in a word which is still being written.
type Unfinished struct {
	Head string // the text before the word
	Word string // the word so far, with its sigil: "", "le", "$co"
	Func bool   // the word is the function's name, with its module
	Type string // struct, union or enum, if the word is the name of such a type; else ""
	// Other is the word, with its module, if it may also be the name of another function or
	// event: in since( and who(, after a key. Else it is "".
	Other string
	// Whole is the spec with Hole in place of the word, and all brackets closed.
	Whole string
}

// Finish prepares the beginning of a spec for completion. ok is false if text ends inside
// a string, which may hold anything.
func Finish(text string) (u Unfinished, ok bool) {
	if at := lastElse(text); at > 0 {
		u, ok = Finish(text[at:])
		u.Head = text[:at] + u.Head
		return u, ok
	}
	at := len(text)
	for at > 0 && IsWord(text[at-1]) {
		at--
	}
	if at > 0 && strings.IndexByte("$%@", text[at-1]) >= 0 {
		at--
	}
	closing, last, ok := open(text[:at])
	if !ok {
		return u, false
	}
	u = Unfinished{Head: text[:at], Word: text[at:], Whole: text[:at] + Hole + closing}
	switch last.text {
	case "struct", "union", "enum":
		u.Type = last.text
	}
	name := scanFunc(text, 0)
	if name.End < len(text) && text[name.End] == ':' {
		name = scanFunc(text, name.End+1)
	}
	if name.kind == tokEOF || name.End == len(text) {
		return Unfinished{Word: text, Func: true}, true
	}
	u.Other = other(text)
	return u, true
}

// other returns the last argument of an open since( or who( that text ends in, "" if it is
// the first, or if it is something other than a name.
func other(text string) string {
	type bracket struct {
		since bool
		last  int // where its last argument begins, 0 if that is the first
	}
	var open []bracket
	word := ""
	for t := scanAt(text, scanFunc(text, 0).End); t.kind != tokEOF; t = scanAt(text, t.End) {
		switch n := len(open); t.kind {
		case "(", "[":
			open = append(open, bracket{since: word == "since" || word == "who"})
		case ")", "]":
			open = open[:max(n-1, 0)]
		case ",":
			if n > 0 {
				open[n-1].last = t.End
			}
		}
		word = t.text
	}
	if len(open) == 0 || !open[len(open)-1].since || open[len(open)-1].last == 0 {
		return ""
	}
	last := strings.TrimLeft(text[open[len(open)-1].last:], " \t\n")
	module, name, _ := strings.Cut(last, ":")
	if strings.ContainsFunc(module+name, func(r rune) bool { return r > 0x7f || !IsWord(byte(r)) }) {
		return ""
	}
	return last
}

// lastElse returns where the last spec of text begins, 0 if there is only one.
func lastElse(text string) (at int) {
	depth := 0
	for t := scanFunc(text, 0); t.kind != tokEOF; t = scanAt(text, t.End) {
		switch t.kind {
		case "(":
			depth++
		case ")":
			depth--
		case "|":
			if depth > 0 {
				continue
			}
			for at = t.End; at < len(text) && isSpace(text[at]); at++ {
			}
			t = scanFunc(text, at)
		}
	}
	return at
}

// open returns the text that closes the brackets that are open in text, and the last
// token. ok is false if a string is open.
func open(text string) (closing string, last token, ok bool) {
	pos := scanFunc(text, 0).End
	for {
		t := scanAt(text, pos)
		switch t.kind {
		case tokEOF:
			return closing, last, true
		case "(":
			switch last.text {
			case "container_of":
				closing = ",x,x)" + closing
			case perCPU:
				closing = ",0)" + closing
			default:
				closing = ")" + closing
			}
		case ",": // of container_of or per_cpu: one argument less is missing
			closing = strings.TrimPrefix(strings.TrimPrefix(closing, ",x"), ",0")
		case "[":
			closing = "]" + closing
		case ")", "]":
			closing = strings.TrimPrefix(closing, string(t.kind))
		case tokQuoted:
			if n := len(t.text); n < 2 || t.text[n-1] != t.text[0] {
				return "", t, false
			}
		}
		last, pos = t, t.End
	}
}
