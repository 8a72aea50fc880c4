package dynevent

// Limits of kernel/trace/trace_probe.h. The kernel checks the size of an event only
// since 7.0. Older kernels accept an event that is too big and never record it.
const (
	MaxArgs      = 128  // MAX_TRACE_ARGS
	MaxEventSize = 3072 // bytes, MAX_PROBE_EVENT_SIZE
	MaxArgName   = 31   // MAX_ARG_NAME_LEN less the final NUL
	MaxEventName = 63
)

// MaxElements is the longest array that a fetcharg can have: MAX_ARRAY_LEN.
const MaxElements = 64

// MostActive is KRETPROBE_MAXACTIVE_MAX of kernel/trace/trace_kprobe.c, the most
// calls that a return probe can track.
const MostActive = 4096
