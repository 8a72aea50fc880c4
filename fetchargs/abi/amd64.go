package abi

import (
	"strings"
)

var amd64 = &Arch{
	Name: "amd64", WordSize: 8,
	Regs: []string{"di", "si", "dx", "cx", "r8", "r9"}, FirstStack: 1, PackedOnStack: true, SignedChar: true,
	Results:   [2]string{"ax", "dx"},
	Registers: strings.Fields("di si dx cx r8 r9 ax bx bp sp ip flags cs ss orig_ax r10 r11 r12 r13 r14 r15"),
	Aliases:   map[string]string{"pc": "ip", "dil": "di", "sil": "si", "al": "ax", "bl": "bx", "cl": "cx", "dl": "dx"},
	Syscalls:  amd64Syscalls,
	Current:   []string{"current_task", "pcpu_hot.current_task"}, // arch/x86/include/asm/current.h; the second from 6.2 to 6.14
	Caller:    "$stack0", StackDelta: 8, KernelStart: 0xff00_0000_0000_0000, UserEnd: 0x0100_0000_0000_0000,
}
