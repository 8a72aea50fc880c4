package fetchargs

import "fmt"

// FeaturesOf returns the features of a mainline kernel of version "X.Y", for lines meant
// for another machine. A distribution's kernel may have more.
func FeaturesOf(version string) (Features, error) {
	var major, minor int
	if n, err := fmt.Sscanf(version, "%d.%d", &major, &minor); n != 2 || err != nil {
		return Features{}, fmt.Errorf("a kernel version is X.Y, not %q", version)
	}
	since := func(x, y int) bool { return major > x || major == x && minor >= y }
	f := Features{ArgN: since(4, 20), Symbol: since(5, 0), Ustring: since(5, 3),
		ReturnArgs: since(6, 9), Immediate: since(5, 5), Keeps: since(6, 5)}
	if since(7, 3) {
		f.ArgSize, f.Current = 255, true
	}
	return f, nil
}
