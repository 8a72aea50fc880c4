//go:build race

package tracedat

// The race detector makes decompression ten times slower, and one goroutine
// cannot race: of what is tried in volume, one in so many is.
const oneOf = 8
