//go:build !race

package badinput

const slower = 1
