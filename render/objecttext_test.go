package render_test

import (
	"encoding/hex"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A treeParser reads the text of an object: members as a map, elements as a map of int,
// all else as string.
type treeParser struct{ text string }

// elements are those of an array that are shown.
type elements map[int]any

func (p *treeParser) skip() {
	for {
		p.text = strings.TrimLeft(p.text, " \n")
		if !strings.HasPrefix(p.text, "/*") {
			return
		}
		_, p.text, _ = strings.Cut(p.text, "*/")
	}
}

func (p *treeParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.text, prefix)
	if ok {
		p.text = rest
	}
	return ok
}

func (p *treeParser) value() (any, error) {
	if !p.take("{") {
		return p.word(), nil
	}
	members, list := map[string]any{}, elements{}
	for i := 0; ; {
		p.skip()
		switch {
		case p.take("}"):
			if len(list) > 0 {
				return list, nil
			}
			return members, nil
		case p.take(","):
			continue
		case p.take("... 0"):
			continue
		}
		name, last := "", i
		if p.take(".") {
			name, p.text, _ = strings.Cut(p.text, " = ")
		} else if p.take("[") {
			if _, err := fmt.Sscanf(p.text, "%d ... %d] = ", &i, &last); err != nil {
				if _, err := fmt.Sscanf(p.text, "%d] = ", &i); err != nil {
					return nil, err
				}
				last = i
			}
			_, p.text, _ = strings.Cut(p.text, "] = ")
		}
		val, err := p.value()
		switch {
		case err != nil:
			return nil, err
		case name != "":
			if _, twice := members[name]; twice {
				return nil, fmt.Errorf("%s is there twice", name)
			}
			members[name] = val
			continue
		}
		for ; i <= last; i++ {
			list[i] = val
		}
	}
}

// word takes what has no parts.
func (p *treeParser) word() string {
	quote, end := byte(0), 0
	for ; end < len(p.text); end++ {
		c := p.text[end]
		switch {
		case quote != 0 && c == '\\':
			end++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == ',' && strings.TrimLeft(p.text[end+1:], "0123456789-") != p.text[end+1:]: // of a list of bits
		case c == ',' || c == '\n' || c == '}':
			w := p.text[:end]
			p.text = p.text[end:]
			return w
		}
	}
	w := p.text
	p.text = ""
	return w
}

// notUTF8 returns the bytes of a text in JSON that is not UTF-8; ok is false if v is not one.
func notUTF8(v any) (b []byte, ok bool) {
	m, _ := v.(map[string]any)
	text, ok := m["bytes"].(string)
	if _, isText := m["value"].(string); !ok || !isText || len(m) != 2 {
		return nil, false
	}
	b, err := hex.DecodeString(text)
	return b, err == nil && !utf8.Valid(b)
}

// differs says how what the text has is not what JSON has.
func differs(path string, text, js any) string {
	if _, said := named(js); said != "" && text == said {
		return ""
	}
	if b, ok := notUTF8(js); ok {
		s, _ := text.(string)
		if unquoted, err := strconv.Unquote(s); err != nil || unquoted != string(b) {
			return fmt.Sprintf("%s: %v in text, the bytes % x in JSON", path, text, b)
		}
		return ""
	}
	switch js := js.(type) {
	case map[string]any:
		members, ok := text.(map[string]any)
		if !ok || !slices.Equal(slices.Sorted(maps.Keys(members)), slices.Sorted(maps.Keys(js))) {
			return fmt.Sprintf("%s: %v in text, %v in JSON", path, text, js)
		}
		for name := range js {
			if why := differs(path+"."+name, members[name], js[name]); why != "" {
				return why
			}
		}
		return ""
	case []any:
		if text == "(empty)" && len(js) == 0 {
			return ""
		}
		list, ok := text.(elements)
		if empty, none := text.(map[string]any); none && len(empty) == 0 {
			list, ok = nil, true
		}
		if !ok {
			return fmt.Sprintf("%s: %v in text, %v in JSON", path, text, js)
		}
		for i, val := range js {
			if shown, ok := list[i]; ok {
				if why := differs(fmt.Sprintf("%s[%d]", path, i), shown, val); why != "" {
					return why
				}
			} else if !isNothing(val) {
				return fmt.Sprintf("%s[%d]: not in text, %v in JSON", path, i, val)
			}
		}
		return ""
	case string:
		s, _ := text.(string)
		unquoted, err := strconv.Unquote(s)
		if s == js || s == "NULL" && js == "0x0" || err == nil && strings.ToValidUTF8(unquoted, "\ufffd") == js || err == nil && len([]rune(unquoted)) == len([]rune(js)) {
			return ""
		}
	case bool:
		if text == strconv.FormatBool(js) {
			return ""
		}
	case stdjson.Number:
		if s, ok := text.(string); ok && sameNumber(s, js.String()) {
			return ""
		}
	}
	return fmt.Sprintf("%s: %v in text, %v in JSON", path, text, js)
}

func sameNumber(text, js string) bool {
	want, err := strconv.ParseInt(js, 10, 64)
	if err != nil {
		u, _ := strconv.ParseUint(js, 10, 64)
		want = int64(u)
	}
	if _, cast, ok := strings.Cut(text, ")"); ok && strings.HasPrefix(text, "(enum") {
		text = cast
	}
	text, _, _ = strings.Cut(text, " ")
	if major, minor, ok := strings.Cut(text, ":"); ok { // a device
		high, _ := strconv.Atoi(major)
		low, _ := strconv.Atoi(minor)
		return int64(high)<<20|int64(low) == want
	}
	if ns, ok := strings.CutSuffix(text, "s"); ok { // seconds with nine digits
		n, err := strconv.ParseInt(strings.Replace(ns, ".", "", 1), 10, 64)
		return err == nil && n == want
	}
	if text == `'\0'` {
		return want == 0
	}
	if strings.HasPrefix(text, "'") {
		c, _, _, err := strconv.UnquoteChar(text[1:], '\'')
		return err == nil && byte(c) == byte(want)
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		u, err := strconv.ParseUint(text, 0, 64)
		return err == nil && int64(u) == want
	}
	return n == want
}

// isNothing reports whether a value of JSON is zero all over.
func isNothing(js any) bool {
	switch js := js.(type) {
	case map[string]any:
		for _, val := range js {
			if !isNothing(val) {
				return false
			}
		}
		return true
	case []any:
		return !slices.ContainsFunc(js, func(val any) bool { return !isNothing(val) })
	}
	return slices.Contains([]string{"0", "0x0", "false", "", "::", "0.0.0.0"}, fmt.Sprint(js))
}
