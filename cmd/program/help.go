package program

import "strings"

// The width of the column of names in the help, and of the one with what a flag is for.
const nameWidth, textWidth = 26, 54

// Help returns the help's lists of flags.
func Help(sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		if s.Title == "" {
			continue
		}
		b.WriteString(s.Title + ":\n")
		for i := range s.Rows {
			s.Rows[i].writeHelp(&b)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (f *Row) writeHelp(b *strings.Builder) {
	names := "      "
	if f.Short != "" {
		names = "  -" + f.Short + ", "
	}
	names += "--" + f.Name + f.Form
	for _, line := range f.lines() {
		b.WriteString(strings.TrimRight(names+strings.Repeat(" ", max(nameWidth-len(names), 1))+line, " ") + "\n")
		names = ""
	}
}

// Brief returns what the flag is for, as far as it fits on a line.
func (f *Row) Brief() string { return f.lines()[0] }

// lines breaks what the flag is for into lines of the help.
func (f *Row) lines() (lines []string) {
	for part := range strings.Lines(f.Text) {
		lines = append(lines, Fold(part, textWidth)...)
	}
	if lines == nil {
		return []string{""}
	}
	return lines
}

// Fold breaks text into lines of at most width bytes.
func Fold(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}
