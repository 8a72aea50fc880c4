//go:build race

package badinput

// slower is how many times slower the race detector makes a program.
const slower = 10
