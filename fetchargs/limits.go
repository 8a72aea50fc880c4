package fetchargs

// Limits of kernel/trace/trace_probe.h. The kernel checks the size of an event only
// since 7.0. Older kernels accept an event that is too big and never record it.
const (
	maxArgs      = 128  // MAX_TRACE_ARGS
	maxEventSize = 3072 // bytes, MAX_PROBE_EVENT_SIZE
	maxArgName   = 31   // MAX_ARG_NAME_LEN less the final NUL
	maxEventName = 63
)

// maxElements is the longest array that a fetcharg can have: MAX_ARRAY_LEN.
const maxElements = 64

// MostActive is KRETPROBE_MAXACTIVE_MAX of kernel/trace/trace_kprobe.c, the most
// calls that a return probe can track.
const MostActive = 4096
