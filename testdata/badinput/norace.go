//go:build !race

package badinput

const slower = 1

const Race = false
