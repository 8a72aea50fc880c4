package spec

import "strings"

// Hole is the name that Unfinished puts where the next word of a spec is to come.
const Hole = "tsnoop_hole"

// An Unfinished is a spec that ends in a word which somebody is about to write.
type Unfinished struct {
	Head string // what stands before the word
	Word string // what there is of it, with its sigil: "", "le", "$co"
	Func bool   // it is the function's name, with its module
	Type string // it is the name of a type behind this word: struct, union or enum
	// Whole is the spec with Hole in place of the word, and all brackets closed.
	Whole string
}

// Finish makes ready to complete a spec of which only the beginning is written. It
// fails in a string, which may hold anything.
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
	return u, true
}

// lastElse is where the last of a text's specs begins, 0 if it is the only one.
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

// open is what closes the brackets that text leaves open, and its last token. It fails
// if a string is open.
func open(text string) (closing string, last token, ok bool) {
	pos := scanFunc(text, 0).End
	for {
		t := scanAt(text, pos)
		switch t.kind {
		case tokEOF:
			return closing, last, true
		case "(":
			if last.text == "container_of" {
				closing = ",x,x)" + closing
			} else {
				closing = ")" + closing
			}
		case ",": // of container_of, which is followed by fewer from here on
			closing = strings.TrimPrefix(closing, ",x")
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
