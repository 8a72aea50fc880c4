package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Sizes in px. A character is as wide as advance with any font: textLength says so.
const (
	fontSize = 13
	advance  = 7.8
	leading  = 18
	margin   = 16
)

// head is the start of the image. The colours are those of a light terminal, or of a dark
// one where the viewer prefers that: each has a contrast of at least 4.5 to the background.
const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="A session of tsnoop in a terminal">
<style>
text { font: %[3]dpx ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre }
rect { fill: #f6f8fa } text { fill: #1f2328 }
.sgr1 { font-weight: bold } .sgr2 { fill: #59636e }
.sgr31 { fill: #b3261e } .sgr32 { fill: #116329 } .sgr33 { fill: #7d4e00 } .sgr35 { fill: #7a3ed6 } .sgr36 { fill: #0b6470 }
@media (prefers-color-scheme: dark) {
rect { fill: #161b22 } text { fill: #e6edf3 } .sgr2 { fill: #9198a1 }
.sgr31 { fill: #ff7b72 } .sgr32 { fill: #56d364 } .sgr33 { fill: #e3b341 } .sgr35 { fill: #d2a8ff } .sgr36 { fill: #56d4dd }
}
</style>
<rect width="100%%" height="100%%" rx="6"/>
`

// svg draws the text of a terminal. Its escape sequences are those of colours.
func svg(w io.Writer, screen string) error {
	var b bytes.Buffer
	lines := fold(strings.Split(strings.TrimRight(screen, "\n"), "\n"))
	fmt.Fprintf(&b, head, 2*margin+int(columns*advance), 2*margin+leading*len(lines), fontSize)
	for i, line := range lines {
		if line == "" {
			continue
		}
		y := margin + leading*i + fontSize
		fmt.Fprintf(&b, `<text x="%d" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve">`, margin, y, advance*float64(width(line)))
		if err := spans(&b, line); err != nil {
			return err
		}
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// spans draws a line: the text between two escape sequences is a span of that class.
func spans(b *bytes.Buffer, line string) error {
	for i, part := range strings.Split(line, "\x1b[") {
		class := ""
		if i > 0 {
			var found bool
			if class, part, found = strings.Cut(part, "m"); !found || strings.Trim(class, "0123456789;") != "" {
				return fmt.Errorf("%q is not the colour of a text", "\x1b["+class)
			}
		}
		if part == "" {
			continue
		}
		if class != "" && class != "0" {
			fmt.Fprintf(b, `<tspan class="sgr%s">`, strings.ReplaceAll(class, ";", " sgr"))
		}
		if err := xml.EscapeText(b, []byte(part)); err != nil {
			return err
		}
		if class != "" && class != "0" {
			b.WriteString("</tspan>")
		}
	}
	return nil
}

// fold breaks longer lines, as the terminal does. tsnoop folds its own: it is commands that
// are longer, and they are broken at a space.
func fold(lines []string) (folded []string) {
	for _, line := range lines {
		for width(line) > columns {
			at := strings.LastIndex(line[:columns-1], " ")
			if at <= 0 {
				break
			}
			folded = append(folded, line[:at]+` \`)
			line = "    " + line[at+1:]
		}
		folded = append(folded, line)
	}
	return folded
}

// width is the number of characters that a line shows.
func width(line string) int {
	n := 0
	for i, part := range strings.Split(line, "\x1b[") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "m")
		}
		n += utf8.RuneCountInString(part)
	}
	return n
}
