// Package shell completes command lines in bash, zsh and fish. Their scripts pass the
// line as it is written. This package splits it into words and formats the completions.
package shell

import (
	_ "embed"
	"fmt"
	"io"
	"path"
	"strings"
)

// The scripts that make a shell ask for completions.
var (
	//go:embed tsnoop.bash
	bash string
	//go:embed tsnoop.zsh
	zsh string
	//go:embed tsnoop.fish
	fish string
)

// Scripts holds the scripts of tsnoop by the name of their shell.
var Scripts = map[string]string{"bash": bash, "zsh": zsh, "fish": fish}

// For returns the script of a shell for another program, which answers as tsnoop does.
func For(program, shell string) string {
	return strings.ReplaceAll(Scripts[shell], "tsnoop", program)
}

// A Kind says what the shell can offer besides the words of an Answer.
type Kind string

const (
	Words    Kind = "words"    // nothing else; a space follows a complete word
	Open     Kind = "open"     // nothing else; a word may go on, so no space follows
	Files    Kind = "files"    // file names
	Dirs     Kind = "dirs"     // directory names
	Commands Kind = "commands" // program names
)

// A Word is a possible replacement for the last word of a line.
type Word struct {
	Text string
	Is   string // a description; may be empty
}

// An Answer holds the possible completions.
type Answer struct {
	Kind  Kind
	Words []Word
}

// Prefixed returns the answer with head before each word.
func (a Answer) Prefixed(head string) Answer {
	for i := range a.Words {
		a.Words[i].Text = head + a.Words[i].Text
	}
	return a
}

// A Line is a command line up to the cursor.
type Line struct {
	Words []string // without quotes; the last one is being typed and may be empty
	quote byte     // the open quote: ' or ", 0 if none
}

// Parse splits the line of a shell into words. It uses only the last command of the
// line, and only what follows the name of the program: sudo may precede it.
func Parse(line, program string) Line {
	var l Line
	word, written := []byte(nil), false
	end := func() {
		if written {
			l.Words = append(l.Words, string(word))
		}
		word, written = nil, false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case l.quote == '\'' && c == '\'', l.quote == '"' && c == '"':
			l.quote = 0
		case c == '\\' && l.quote != '\'' && i+1 < len(line):
			i++
			if l.quote == '"' && strings.IndexByte("$`\"\\\n", line[i]) < 0 {
				word = append(word, c)
			}
			word, written = append(word, line[i]), true
		case l.quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			l.quote, written = c, true
		case c == ' ' || c == '\t' || c == '\n':
			end()
		case c == ';' || c == '&' || c == '|':
			end()
			l.Words = nil
		default:
			word, written = append(word, c), true
		}
	}
	l.Words = append(l.Words, string(word))
	for i := len(l.Words) - 2; i >= 0; i-- {
		if path.Base(l.Words[i]) == program {
			l.Words = l.Words[i+1:]
			break
		}
	}
	return l
}

// Write writes the answer: the kind on a line, then a line for each word, with a tab
// and its description. It leaves out words with characters that would end a line or
// move a terminal's cursor.
//
// After a word that is the only one, bash closes the quotes, and fish adds a space. If
// the word may go on, Write adds a second one that begins with it, to prevent that.
//
// Bash wants words as they are written in the line, and only what follows the last of
// the characters that break words; the other shells want plain words.
func (l Line) Write(w io.Writer, shell, breaks string, a Answer) error {
	if _, err := fmt.Fprintln(w, a.Kind); err != nil {
		return err
	}
	if a.Kind == Open && len(a.Words) == 1 && (shell == "fish" || shell == "bash" && l.quote != 0) {
		a.Words = append(a.Words, Word{Text: a.Words[0].Text + ")"})
	}
	for _, word := range a.Words {
		if !clean(word.Text) {
			continue
		}
		text := word.Text
		if shell == "bash" {
			text = l.quoted(text, breaks)
		}
		if word.Is != "" && clean(word.Is) {
			text += "\t" + word.Is
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// quoted returns text as bash takes it in place of the last word.
func (l Line) quoted(text, breaks string) string {
	switch l.quote {
	case '\'':
		return text
	case '"':
		return escaped(text, "$`\"\\")
	}
	last := l.Words[len(l.Words)-1]
	if strings.HasPrefix(text, last) && escaped(last, special) == last {
		if i := strings.LastIndexAny(last, breaks); i >= 0 {
			text = text[i:]
			if last[i] != '@' { // bash keeps that at the start of the word: rl_special_prefixes
				text = text[1:]
			}
		}
	}
	return escaped(text, special)
}

// special are the characters that have a meaning to bash outside quotes.
const special = " \t\n|&;()<>$`\\\"'*?[]{}~!#"

func escaped(text, special string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(special, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// clean reports whether text is printable ASCII.
func clean(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
