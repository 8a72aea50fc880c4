// Package manual makes manual pages, as roff for man(1), from the texts that help
// prints, so that both have one source.
package manual

import (
	"fmt"
	"strings"
)

// A Page is a page of the manual.
type Page struct {
	Name    string // "tsnoop"
	Section int    // 8
	Brief   string // what it is about, in one line without a full stop
	Text    string // as help prints it
	See     string // other pages: "tsnoop-spec(7)"
}

// Roff returns the page. A block of the text becomes what it looks like:
//
//   - a block that begins with "Usage:" becomes the synopsis;
//   - a line that ends with a colon, or precedes an indented block, becomes a heading;
//   - flags, and terms with an explanation after two or more spaces, become a list;
//   - grammar, and indented text, is set verbatim, below the line before it if there is one;
//   - other blocks become paragraphs.
func (p Page) Roff() string {
	w := &writer{}
	fmt.Fprintf(w, ".TH %s %d\n", strings.ToUpper(p.Name), p.Section)
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", escape(p.Name), escape(p.Brief))
	for i, block := range strings.Split(strings.TrimSpace(p.Text), "\n\n") {
		w.block(strings.Split(block, "\n"), i == 0)
	}
	if p.See != "" {
		fmt.Fprintf(w, ".SH SEE ALSO\n%s\n", escape(p.See))
	}
	return w.String()
}

type writer struct{ strings.Builder }

func (w *writer) block(lines []string, first bool) {
	switch {
	case strings.HasPrefix(lines[0], "Usage:"):
		w.WriteString(".SH SYNOPSIS\n")
		lines[0] = strings.Replace(lines[0], "Usage:", "      ", 1)
		w.verbatim(lines, 7)
		w.WriteString(".SH DESCRIPTION\n")
		return
	case isHeading(lines[0]):
		w.heading(strings.TrimSuffix(lines[0], ":"))
		lines = lines[1:]
	case isTitled(lines[0]):
		title, rest, _ := strings.Cut(lines[0], ":")
		w.heading(title)
		if rest = strings.TrimLeft(rest, " "); rest == "" {
			lines = lines[1:]
		} else {
			lines = append([]string{rest}, lines[1:]...)
		}
	case first:
		w.WriteString(".SH DESCRIPTION\n")
	}
	switch {
	case len(lines) == 0:
	case isGrammar(lines[0]):
		w.WriteString(".PP\n")
		w.verbatim(lines, 0)
	case matches(flag, lines[0]):
		w.list(lines, flag)
	case matches(term, lines[0]):
		w.list(lines, term)
	case indented(lines) && matches(term, lines[0][2:]):
		for i, line := range lines {
			lines[i] = line[2:]
		}
		w.list(lines, term)
	case strings.HasPrefix(lines[0], "  "):
		w.WriteString(".PP\n")
		w.verbatim(lines, 2)
	case indented(lines[1:]):
		fmt.Fprintf(w, ".TP 2\n%s\n", escape(lines[0]))
		w.verbatim(lines[1:], 2)
	default:
		w.WriteString(".PP\n")
		for _, line := range lines {
			w.WriteString(escape(line) + "\n")
		}
	}
}

func (w *writer) heading(text string) { fmt.Fprintf(w, ".SH %s\n", escape(strings.ToUpper(text))) }

// indented reports whether there are lines and all are indented.
func indented(lines []string) bool {
	for _, line := range lines {
		if !strings.HasPrefix(line, "  ") {
			return false
		}
	}
	return len(lines) > 0
}

// list writes terms, each with its explanation, which may continue in indented lines. The
// explanation of a long term begins there.
func (w *writer) list(lines []string, entry form) {
	for _, line := range lines {
		name, text, found := entry(line)
		switch {
		case found:
			fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", escape(name), escape(text))
		case !strings.HasPrefix(line, " "):
			fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n", escape(line))
		default:
			w.WriteString(escape(strings.TrimSpace(line)) + "\n")
		}
	}
}

// verbatim writes lines as they are, without up to blanks blanks at the start of each.
func (w *writer) verbatim(lines []string, blanks int) {
	w.WriteString(".EX\n")
	for _, line := range lines {
		trimmed := strings.TrimLeft(line[:min(blanks, len(line))], " ") + line[min(blanks, len(line)):]
		w.WriteString(escape(trimmed) + "\n")
	}
	w.WriteString(".EE\n")
}

// escape escapes text so that roff sets it verbatim, in ASCII that can be copied.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
