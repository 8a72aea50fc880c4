// Package proc reads what /proc and /sys say about the kernel's memory and modules, and
// about processes and threads.
package proc
