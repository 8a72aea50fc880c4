package dynevent

import "fmt"

// Features are what a kernel's tracefs/README offers.
type Features struct {
	ArgN    bool // $argN, since 4.20
	Ustring bool // ustring and +u, since 5.3
	Symbol  bool // the type symbol, since 5.0
	ArgSize int  // bytes that one fetcharg may have; 0 means 63
	Hops    int  // pointers that one may follow, 8 since 7.3; 0 leaves it to the kernel

	ReturnArgs bool // $argN in return probes, since 6.9
	Immediate  bool // \1, since 5.5
	Current    bool // $current, since 7.3
	Eprobe     bool // events at events, since 5.15
	Tprobe     bool // probes at tracepoints, since 6.5
	Fprobe     bool // one event at many functions, since 6.5
	Keeps      bool // a string that faults still records its place, since 6.5: see value.ReadCheck
}

// MaxArg returns the most bytes of a fetcharg, without the name and "=": MAX_ARGSTR_LEN
// in kernel/trace/trace_probe.h, 63 up to 7.2.
func (f Features) MaxArg() int {
	if f.ArgSize == 0 {
		return 63
	}
	return f.ArgSize
}

// FeaturesOf returns the features of a mainline kernel of version "X.Y", for lines meant
// for another host. A distribution's kernel may have more.
func FeaturesOf(version string) (Features, error) {
	var major, minor int
	if n, err := fmt.Sscanf(version, "%d.%d", &major, &minor); n != 2 || err != nil {
		return Features{}, fmt.Errorf("a kernel version is X.Y, not %q", version)
	}
	since := func(x, y int) bool { return major > x || major == x && minor >= y }
	f := Features{ArgN: since(4, 20), Symbol: since(5, 0), Ustring: since(5, 3),
		ReturnArgs: since(6, 9), Immediate: since(5, 5), Eprobe: since(5, 15), Tprobe: since(6, 5), Fprobe: since(6, 5), Keeps: since(6, 5)}
	if since(7, 3) {
		f.ArgSize, f.Hops, f.Current = 255, 8, true
	}
	return f, nil
}
