package main

const map32bit = 0

// int80 does nothing: this architecture has no such call.
func int80(nr, a, b, c, d uintptr) uintptr { return 0 }
