// Package readme extracts the command lines of README.md, for tests of them.
package readme

import (
	"os"
	"regexp"
	"strings"
)

var (
	cell    = regexp.MustCompile("^\\| (tsnoop \\| )?`(.*?)` \\|")
	command = regexp.MustCompile(`^    (# |\$ |\$ .*\| )?tsnoop `)
	inText  = regexp.MustCompile("`(tsnoop [^`]*)`")
)

// Lines returns the command lines that call tsnoop and, for each spec in the table of
// specs, a command line with that spec.
func Lines(file string) (lines []string, err error) {
	text, err := os.ReadFile(file)
	specs := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		found := cell.FindStringSubmatch(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			specs = false
		case strings.HasPrefix(line, "| spec |"):
			specs = true
		case found != nil && found[1] != "":
			lines = append(lines, found[2])
		case found != nil && specs:
			lines = append(lines, "tsnoop '"+found[2]+"'")
		}
		if strings.HasPrefix(line, "|") {
			continue
		}
		if command.MatchString(line) {
			lines = append(lines, strings.TrimLeft(line, " #$"))
			continue
		}
		for _, m := range inText.FindAllStringSubmatch(line, -1) {
			lines = append(lines, m[1])
		}
	}
	return lines, err
}
