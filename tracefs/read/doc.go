// Package read turns ring buffer pages into events. It reads the buffers of all CPUs of
// a live session, or of a file, and merges them by time.
package read
