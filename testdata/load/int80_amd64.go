package main

import "golang.org/x/sys/unix"

const map32bit = unix.MAP_32BIT

// int80 makes a system call as a 32-bit program does.
func int80(nr, a, b, c, d uintptr) uintptr
