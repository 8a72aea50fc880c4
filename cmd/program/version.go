package program

import "runtime/debug"

// Version returns the version of the tag, or the pseudo-version that Go derives from the
// commit. linked is that of a build outside of git, which the linker has set.
func Version(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
