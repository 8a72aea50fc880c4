package abi

import (
	"strings"
)

var arm64 = &Arch{
	Name: "arm64", WordSize: 8,
	Regs: []string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"}, FirstStack: 0,
	Results:      [2]string{"x0", "x1"},
	Registers:    strings.Fields("x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 x30 lr sp pc pstate"),
	Aliases:      map[string]string{"fp": "x29", "ip": "pc", "cpsr": "pstate", "ax": "x0"},
	BigByPointer: true, EvenInt128: true,
	Syscalls: arm64Syscalls,
	Current:  []string{"__entry_task"}, // arch/arm64/kernel/process.c
	Caller:   "%lr", KernelStart: 0xff00_0000_0000_0000, UserEnd: 0x0100_0000_0000_0000,
}
