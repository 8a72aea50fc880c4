// Package read turns the pages of a ring buffer into events: those of all CPUs of a
// live session, or of a file, in the order of time.
package read
