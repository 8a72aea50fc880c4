package target

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// commWords is the size of a task's name, TASK_COMM_LEN, in words of 8 bytes.
const commWords = 2

// CommAtOf returns where a task has its name, 0 if the types do not show it.
func CommAtOf(k *btf.Kernel) int64 {
	task, err := k.Type("struct task_struct")
	if err != nil {
		return 0
	}
	m, err := btf.Member(task, "comm")
	if size, ok := btf.Size(m.Type); err != nil || !ok || size != 8*commWords {
		return 0
	}
	return int64(m.Offset)
}

// CommArg returns the fetcharg of the task's name for probes of a kind: if possible words at
// CommAt. The kernel reads a string byte by byte, twice: $comm costs 2.5 times as much with
// a name of 4 letters, and 5 times with one of 15.
func (t *Target) CommArg(kind dynevent.Kind) dynevent.Arg {
	if t.CommAt == 0 || !kind.AtFunction() {
		return kind.Comm()
	}
	return dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Current}, Hops: []dynevent.Hop{{Offset: t.CommAt}}, Type: dynevent.X64, Count: commWords}
}
