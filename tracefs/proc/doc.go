// Package proc reads what /proc tells about the kernel's symbols, its memory
// and its threads.
package proc
