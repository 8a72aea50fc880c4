package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/testdata/recordings"
)

// made is a program for scripts: it writes a recording, FILE KEY=VALUE..., as recordings.Made
// describes. wall is after noon, pages are those of each CPU with ; between.
func made() {
	if err := writeMade(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeMade(name string, words []string) error {
	m, err := parseMade(words)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return m.Write(f)
}

func parseMade(words []string) (m *recordings.Made, err error) {
	m = &recordings.Made{Start: 5 * time.Second}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "host":
			m.Host = value
		case "boot":
			m.Boot = value
		case "machine":
			m.Machine = value
		case "clock":
			m.Clock = value
		case "start":
			m.Start, err = time.ParseDuration(value)
		case "wall":
			var after time.Duration
			after, err = time.ParseDuration(value)
			m.Wall = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC).Add(after)
		case "length":
			m.Length, err = time.ParseDuration(value)
		case "drift":
			m.Drift, err = time.ParseDuration(value)
		case "error":
			m.MaxError, err = time.ParseDuration(value)
		case "synced":
			m.Synced = true
		case "lost":
			m.Lost, err = strconv.ParseUint(value, 10, 64)
		case "compress":
			m.Compress = true
		case "sums":
			m.Sums = true
		case "pages":
			m.Pages, err = parsePages(value)
		default:
			err = fmt.Errorf("what is %q?", word)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

func parsePages(s string) (pages [][]time.Duration, err error) {
	for cpu := range strings.SplitSeq(s, ";") {
		var of []time.Duration
		for at := range strings.FieldsFuncSeq(cpu, func(r rune) bool { return r == ',' }) {
			d, err := time.ParseDuration(at)
			if err != nil {
				return nil, err
			}
			of = append(of, d)
		}
		pages = append(pages, of)
	}
	return pages, nil
}
