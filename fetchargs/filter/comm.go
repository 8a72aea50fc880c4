package filter

import (
	"fmt"
	"strings"
)

// CommLen is the longest name of a task in bytes: TASK_COMM_LEN without the NUL.
const CommLen = 15

// CheckComm returns an error if glob cannot choose tasks by their names.
func CheckComm(glob string) error {
	if glob == "" {
		return fmt.Errorf("no task has an empty name")
	}
	if strings.ContainsAny(glob, `"'`) {
		return fmt.Errorf("the kernel's filters cannot look for quotes; ? stands for any character")
	}
	if strings.ContainsFunc(glob, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return fmt.Errorf("the kernel's filters cannot look for control characters; ? stands for any character")
	}
	if turned := TurnedRange(glob); turned != "" {
		return fmt.Errorf("the range %s is empty: write %s-%s", turned, turned[2:], turned[:1])
	}
	least := 0
	for rest := glob; rest != ""; {
		if rest[0] == '*' {
			rest = rest[1:]
			continue
		}
		n, _ := globOne(rest, 0)
		rest = rest[n:]
		least++
	}
	if least > CommLen {
		return fmt.Errorf("%s matches no task: names have at most %d characters, longer ones are cut off", glob, CommLen)
	}
	return nil
}

// Comm returns the filter for tasks whose name matches glob. COMM is the name
// of the running task, not a value that the event has fetched.
//
// For "*end" and "*middle*" the kernel does not use its glob matcher but compares
// with all 16 bytes that hold the name. The first then never matches a shorter
// name, and the second also sees what an older name left behind the new one (5.10
// to 7.2). A second star makes the kernel use the glob matcher.
func Comm(glob string, plain bool) string {
	text := commPattern(glob, plain)
	quoted, ok := Quoted(text)
	if !ok { // a complement class has both quotes inside, at the ends of ranges
		quoted, _ = Quoted(commPattern(glob, true))
	}
	return CommWord + quoted
}

// CommWord begins every filter on the name of the task.
const CommWord = "COMM ~ "

func commPattern(glob string, plain bool) string {
	glob = Glob(glob, plain)
	if len(glob) > 1 && glob[0] == '*' {
		glob = "*" + glob
	}
	return glob
}
