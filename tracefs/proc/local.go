package proc

// IsLocal tells whether all functions of a name in the text of /proc/kallsyms are static:
// seen by the file alone that each is in.
func IsLocal(text []byte, name string) bool {
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
