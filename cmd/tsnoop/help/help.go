// Package help holds the texts that tsnoop help prints, and the manual made from them.
package help

import (
	_ "embed"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/manual"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// The texts, each in a file of its own.
var (
	//go:embed usage.txt
	usage string
	//go:embed spec.txt
	specText string
	//go:embed examples.txt
	examples string
	//go:embed compare.txt
	compare string
	//go:embed json.txt
	json string
	//go:embed limits.txt
	limits string
)

// Topics returns the texts besides that of Usage. Most runs of the program need none.
//
//go:noinline
func Topics() map[string]string {
	return map[string]string{"spec": spec(), "examples": examples, "compare": compare, "json": json, "limits": limits}
}

func spec() string { return strings.Replace(specText, "{sets}\n", lines(constants.SetNames()), 1) }

// Pages returns the pages of the manual, made from the texts.
func Pages() []manual.Page {
	return []manual.Page{
		{Name: "tsnoop", Section: 8, Brief: "show what kernel functions are given and what they give back", Text: Usage() + "\nExamples:\n\n" + examples + "\nLimits:\n\n" + limits, See: "tsnoop-spec(7), tsnoop-json(7), trace-cmd(1), perf-probe(1)"},
		{Name: "tsnoop-spec", Section: 7, Brief: "the language of specs, which choose what tsnoop shows", Text: spec(), See: "tsnoop(8), tsnoop-json(7)"},
		{Name: "tsnoop-json", Section: 7, Brief: "the members of a line of tsnoop --json", Text: json, See: "tsnoop(8), tsnoop-spec(7)"},
	}
}

// lines writes words in lines of at most 80 columns.
func lines(words []string) string {
	text, columns := "", 0
	for _, word := range words {
		switch {
		case columns == 0:
		case columns+1+len(word) > 80:
			text, columns = text+"\n", 0
		default:
			text, columns = text+" ", columns+1
		}
		text, columns = text+word, columns+len(word)
	}
	return text + "\n"
}

// Usage returns the text with all commands and flags.
func Usage() string { return strings.Replace(usage, "{flags}\n", flags.Help(), 1) }
