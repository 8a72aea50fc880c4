//go:build !race

package tracedat

const oneOf = 1
