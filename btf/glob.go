package btf

import (
	"path"
	"strings"
)

// Glob returns a function that reports whether a pattern matches a whole name. * is any
// text, ? any character, [a-z] one of a class, [^a-z] and [!a-z] one that is not in a
// class. The error is path.ErrBadPattern.
//
// A pattern is matched against all functions of a kernel, and path.Match reads all of it each
// time. So it is compiled, unless it has an escape or a character that is not one byte.
func Glob(pattern string) (func(name string) bool, error) {
	g, err := parseGlob(pattern)
	if err != nil {
		return nil, err
	}
	return g.match, nil
}

// A glob is a compiled pattern.
type glob struct {
	uncompiled string // for path.Match; "" if there are parts
	parts      []globPart
	least      int // bytes of the shortest name that matches
}

// parseGlob is Glob for names that may be bytes.
func parseGlob(pattern string) (*glob, error) {
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	if strings.ContainsFunc(pattern, func(c rune) bool { return c == '\\' || c >= 0x80 }) {
		return &glob{uncompiled: pattern}, nil
	}
	return compileGlob(pattern), nil
}

// match reports whether the whole name matches.
func (g *glob) match(name string) bool { return matches(g, name) }

// matchBytes is match for bytes.
func (g *glob) matchBytes(name []byte) bool { return matches(g, name) }

// A globPart stands for any text, or for one byte of a set.
type globPart struct {
	any bool
	set [4]uint64
}

func (p *globPart) add(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		p.set[c/64] |= 1 << (c % 64)
	}
}

func (p *globPart) has(c byte) bool { return p.set[c/64]&(1<<(c%64)) != 0 }

// compileGlob compiles a pattern that path.Match has accepted.
func compileGlob(pattern string) *glob {
	g := &glob{}
	for i := 0; i < len(pattern); i++ {
		var p globPart
		switch c := pattern[i]; c {
		case '*':
			if p.any = true; len(g.parts) > 0 && g.parts[len(g.parts)-1].any {
				continue
			}
		case '?':
			p.add(0, 0xff)
		case '[':
			i = p.class(pattern, i+1)
		default:
			p.add(c, c)
		}
		if g.parts = append(g.parts, p); !p.any {
			g.least++
		}
	}
	return g
}

// class adds the class whose text begins at i, and returns the offset of its end, "]".
func (p *globPart) class(pattern string, i int) int {
	inverted := pattern[i] == '^'
	if inverted {
		i++
	}
	for first := true; first || pattern[i] != ']'; first = false {
		from := pattern[i]
		to := from
		if i++; pattern[i] == '-' {
			to = pattern[i+1]
			i += 2
		}
		p.add(from, to)
	}
	if inverted {
		for n := range p.set {
			p.set[n] = ^p.set[n]
		}
	}
	return i
}

// matches reports whether the whole name matches. After a mismatch the last part for any text
// takes one byte more: what was before it need not be tried again.
func matches[Name string | []byte](g *glob, name Name) bool {
	if g.uncompiled != "" {
		match, _ := path.Match(g.uncompiled, string(name))
		return match
	}
	if len(name) < g.least {
		return false
	}
	star, taken := -1, 0 // the last part for any text, and the end of what it stands for
	for at, part := 0, 0; at < len(name) || part < len(g.parts); {
		switch {
		case part < len(g.parts) && g.parts[part].any:
			star, taken = part, at
			part++
		case part < len(g.parts) && at < len(name) && g.parts[part].has(name[at]):
			at, part = at+1, part+1
		case star >= 0 && taken < len(name):
			taken++
			at, part = taken, star+1
		default:
			return false
		}
	}
	return true
}
