//go:build race

package badinput

// slower is how many times slower the race detector makes a program.
const slower = 10

// Race is set if the race detector is on, which takes memory of its own.
const Race = true
