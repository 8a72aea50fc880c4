package symbols

// isLocal reports whether all functions of that name in the text of /proc/kallsyms are
// static.
func isLocal(text []byte, name string) bool {
	found := false
	for l := range linesWith(text, name) {
		if string(l.name) != name || !l.text() {
			continue
		}
		if found = true; l.kind != 't' {
			return false
		}
	}
	return found
}
