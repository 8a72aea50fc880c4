package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	costlyLine   = `            dd-%[1]d     [000] .....     5.%06[1]d: do_sys_openat2: (do_sys_openat2+0x0/0xe0) dfd=-100 filename_ptr=0x34545d9b filename="/dev/null"` + "\n"
	costlyReturn = `            dd-7     [000] .....     6.%06[1]d: do_sys_openat2__return: (__x64_sys_openat+0x6e/0xa0 <- do_sys_openat2) return=3` + "\n"
)

// numbered returns n lines. A format may have its number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if strings.Contains(format, "%") {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

// costlyTexts are texts, pasted from a trace, that have much of one thing. They are functions,
// because tsnoop is this program too.
var costlyTexts = map[string]func() string{
	"one line": func() string { return "# tracer: nop\n" + strings.Repeat("x", 4<<20) },
	"one value": func() string {
		return strings.TrimSuffix(fmt.Sprintf(costlyLine, 7), "\"\n") + strings.Repeat(`\"`, 2<<20)
	},
	"braces":          func() string { return "# tracer: nop\n" + strings.Repeat("{", 4<<20) },
	"empty lines":     func() string { return "# tracer: nop\n" + strings.Repeat("\n", 1<<20) },
	"tasks":           func() string { return numbered(30_000, costlyLine) },
	"names of events": func() string { return numbered(100_000, "x-1 [0] .. 1.%06[1]d: a%[1]d: (a+0/0)\n") },
	"fields":          func() string { return "x-1 [0] .. 1.000001: a: (a+0/0)" + numbered(300_000, " f%d=1") + "\n" },
	"CPUs":            func() string { return numbered(100_000, "x-1 [%[1]d] .. 1.%06[1]d: a: (a+0/0)\n") },
	"losses":          func() string { return numbered(100_000, "CPU:%[1]d [LOST %[1]d EVENTS]\n") },
	"addresses of stack": func() string {
		return fmt.Sprintf(costlyLine, 7) + "dd-7 [000] .. 5.000008: <stack trace>\n" + numbered(200_000, " => f+0x0/0x1\n")
	},
	"lines of a value": func() string {
		return strings.TrimSuffix(fmt.Sprintf(costlyLine, 7), "\"\n") + strings.Repeat("\nq", 500_000)
	},
	"returns": func() string { return numbered(30_000, costlyReturn) },
}

// TestCostlyTexts: no pasted text takes more than its size justifies.
func TestCostlyTexts(t *testing.T) {
	types := filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")
	info, err := os.Stat(types)
	if err != nil {
		t.Fatal(err)
	}
	for name, make := range costlyTexts {
		t.Run(name, func(t *testing.T) {
			text := make()
			file := filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, way := range []string{"--json", "--tree"} {
				args := []string{"replay", way, "-o", "/dev/null", "--btf", types, "--kernel=6.12", file}
				checkCost(t, len(text)+int(info.Size()), append(args, textSpecs...)...)
			}
		})
	}
}
