// Command words finds phrases that readers stumble over in the texts of the project: in
// comments, strings and names of tests of Go files, and in other files as a whole.
//
//	go run ./testdata/words [FILE...]
//
// Without arguments it reads the files that git tracks. It prints FILE:LINE, the phrase and
// what to write, and fails if there is one. It also finds hints that begin with no imperative.
package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
)

// rules say what to write instead of a phrase. A phrase is what matches a group in
// parentheses: alternatives without a group are correct English that looks alike.
var rules = []struct{ write, phrase string }{
	{"for, in, from or with, or another order", `\bOf\s+returns\b|\b(Of)\s+[a-z]`},
	{"is not a (valid) X", `(?i)\bthere\s+(?:is|are|was|were)\s+no\b|\b(?:is|are|was|were)\s+no\s+(?:longer|more|less|other|different|such)\b|\b((?:is|are|was|were)\s+no)\s+[a-z]`},
	{"reports, prints, shows, distinguishes", `(?i)\b(told|tells)\b`},
	{"is in, must be in, follows", `(?i)\bstands?\s+(?:for|in\s+for|alone)\b|\b(stands?)\b`},
	{"except", `(?i)\b(but\s+for)\b`},
	{"also, before the verb", `(?m)(,\s+too)(?:[^a-z\s]|$)`},
	{"after, follows, through a pointer", `(?i)\b(?:left|leaves?|leaving)\s+(?:\S+\s+){0,2}behind\b|\b(behind)\b`},
	{"again, anyway", `(?i)\b(anew|all\s+the\s+same)\b`},
	{"works only with, belongs to", `(?i)\b(go(?:es)?\s+with)\b`},
	{"host, or virtual machine", `(?i)\b((?:this|another)\s+machine)\b`},
	{"hint, fix", `(?i)\b(cures?)\b`},
	{"a statement that begins with its subject", `\b(What\s(?:[^.?!:;"\x00\n]|\n[^\n])*[.:;])`},
}

// hint is the beginning of a hint, in the source of a program, that is not an imperative.
const hint = `(?:\bHint:\s*|(?:\n\s*|\.)[hH]int\s*:?=\s*|\bflags\.Errorf\(|\breturn Errorf\()"((?i:it|its|there|the|they|this|that|these|a|an) )`

func main() {
	files := os.Args[1:]
	if len(files) == 0 {
		out, err := exec.Command("git", "ls-files").Output()
		if err != nil {
			log.Fatal(err)
		}
		files = strings.Fields(string(out))
	}
	found := 0
	for _, file := range files {
		if !isText.MatchString(file) || file == "testdata/words/main.go" {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		found += check(file, content)
	}
	if found > 0 {
		log.Fatalf("%d phrases", found)
	}
}

var (
	isText   = regexp.MustCompile(`\.(go|md|sh|txt|txtar|tsnoop)$|Makefile$`)
	released = regexp.MustCompile(`(?s)\n## [^U].*`) // in CHANGELOG.md
	comment  = regexp.MustCompile(`\n[\t ]*(//|#) ?`)
	testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz)[A-Z]`)
	capital  = regexp.MustCompile(`[A-Z]`)
)

// check prints the phrases of a file and returns how many there are. A phrase can go on in
// the next line of a comment.
func check(file string, content []byte) (found int) {
	switch {
	case path.Ext(file) == ".go":
		if !strings.HasSuffix(file, "_test.go") {
			found = find(file, content, hint, "an imperative, with what to type")
		}
		content = texts(content)
	case file == "CHANGELOG.md":
		content = released.ReplaceAll(content, nil)
	}
	content = comment.ReplaceAll(content, []byte("\n"))
	for _, r := range rules {
		found += find(file, content, r.phrase, r.write)
	}
	return found
}

// find prints what matches a group of a phrase, and returns how often one does.
func find(file string, content []byte, phrase, write string) (found int) {
	for _, at := range regexp.MustCompile(phrase).FindAllSubmatchIndex(content, -1) {
		if at[2] >= 0 {
			line := 1 + bytes.Count(content[:at[2]], []byte("\n"))
			fmt.Printf("%s:%d: %q: write: %s\n", file, line, content[at[2]:at[3]], write)
			found++
		}
	}
	return found
}

// texts replaces code by zeros, in the same lines: what is not a comment, a string or the
// name of a test, whose words it separates.
func texts(source []byte) (text []byte) {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for line := 1; ; {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return text
		}
		for ; line < file.Line(at); line++ {
			text = append(text, '\n')
		}
		switch {
		case kind == token.COMMENT || kind == token.STRING:
			text = append(text, literal...)
			line += strings.Count(literal, "\n")
		case testName.MatchString(literal):
			text = append(text, capital.ReplaceAllString(literal, " $0")...)
			text = append(text, 0)
		case literal != "\n":
			text = append(text, 0)
		}
	}
}
