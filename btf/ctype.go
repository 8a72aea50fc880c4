package btf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Type returns the type that a C type name stands for, as in a cast: "u32", "struct
// tcp_sock *", "unsigned long", "char **", "enum tcp_state", "u8 [6]". Qualifiers are
// ignored, except that "char __user *" is a pointer into user memory. Function types are
// not supported.
//
// Structs, unions, enums and typedefs are looked up in vmlinux, then in the modules. C's
// own types are known even if the BTF does not have them.
//
// Errors are *NotFoundError, errors of reading BTF (ErrNoBTF), and others for text that
// is not a type name.
func (k *Kernel) Type(text string) (Type, error) {
	p := typeParser{words: typeWords(text)}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, err := k.vmlinux(); err != nil {
		return nil, err
	}
	t, err := p.typeName(k)
	if err != nil {
		return nil, fmt.Errorf("type %q: %w", text, err)
	}
	return t, nil
}

// typeWords splits a type name into names, numbers and single other characters.
func typeWords(text string) []string {
	var words []string
	for len(text) > 0 {
		n := 0
		for n < len(text) && isWord(text[n]) {
			n++
		}
		if n == 0 {
			n = 1
			if strings.IndexByte(" \t\r\n", text[0]) >= 0 {
				text = text[1:]
				continue
			}
		}
		words = append(words, text[:n])
		text = text[n:]
	}
	return words
}

// isWord also accepts the bytes of non-ASCII letters, so that they stay together in a
// message.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// A typeParser parses a C type name.
type typeParser struct {
	words []string // not parsed yet
	user  bool     // __user has been seen since the last star
}

func (p *typeParser) next() string {
	if len(p.words) == 0 {
		return ""
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

func (p *typeParser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

// skipQualifiers skips qualifiers and address spaces.
//
//go:noinline
func (p *typeParser) skipQualifiers() {
	for {
		switch p.peek() {
		case "__user":
			p.user = true
		case "const", "volatile", "restrict", "__restrict", "__rcu", "__percpu", "__iomem", "__force", "__kernel":
		default:
			return
		}
		p.next()
	}
}

// typeName = specifiers {"*" {qualifier}} {"[" [number] "]"}
func (p *typeParser) typeName(k *Kernel) (Type, error) {
	t, err := p.specifiers(k)
	if err != nil {
		return nil, err
	}
	for stars := 0; p.peek() == "*"; stars++ {
		if stars == maxNesting {
			return nil, fmt.Errorf("more than %d stars", maxNesting)
		}
		p.next()
		if p.user {
			t = &TypeTag{Type: t, Value: "user"}
		}
		p.user = false
		t = &Pointer{Target: t}
		p.skipQualifiers()
	}
	t, err = p.arrays(t)
	if err != nil {
		return nil, err
	}
	switch w := p.peek(); {
	case w == "(":
		return nil, fmt.Errorf("function types are not understood")
	case w != "":
		return nil, fmt.Errorf("unexpected %q", w)
	}
	return t, nil
}

// arrays parses the dimensions. The first one is the outermost array.
func (p *typeParser) arrays(t Type) (Type, error) {
	var dims []uint32
	for p.peek() == "[" {
		p.next()
		n := uint64(0)
		if p.peek() != "]" {
			var err error
			if n, err = strconv.ParseUint(p.next(), 0, 32); err != nil {
				return nil, fmt.Errorf("the array length is not a number")
			}
		}
		if w := p.next(); w != "]" {
			return nil, fmt.Errorf("missing ]")
		}
		if dims = append(dims, uint32(n)); len(dims) > maxNesting {
			return nil, fmt.Errorf("more than %d dimensions", maxNesting)
		}
	}
	for _, n := range slices.Backward(dims) {
		t = &Array{Index: cTypes["unsigned long"], Type: t, Nelems: n}
	}
	return t, nil
}

// specifiers = {qualifier} ("struct"|"union"|"enum") name | {C keyword} | name
func (p *typeParser) specifiers(k *Kernel) (Type, error) {
	p.skipQualifiers()
	switch w := p.peek(); {
	case w == "":
		return nil, fmt.Errorf("no type name")
	case w == "struct" || w == "union" || w == "enum":
		p.next()
		name := p.next()
		if !isIdentifier(name) {
			return nil, fmt.Errorf("no name after %q", w)
		}
		p.skipQualifiers()
		return k.tagged(w, name)
	case cWords[w] > 0:
		var words []string
		for {
			if p.skipQualifiers(); cWords[p.peek()] == 0 {
				return k.cType(words)
			}
			words = append(words, p.next())
		}
	case !isIdentifier(w):
		return nil, fmt.Errorf("unexpected %q", w)
	default:
		p.next()
		p.skipQualifiers()
		return k.typedef(w)
	}
}

func isIdentifier(w string) bool { return w != "" && isWord(w[0]) && (w[0] < '0' || w[0] > '9') }
