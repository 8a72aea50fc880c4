package nocalls

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/host"
)

// otherCopies says where calls of a function may run past its probe, as far as the kernel
// knows: its symbols have the copies that the compiler has made as functions, and BTF too
// has only functions; neither has the places where a function was put into its callers.
func otherCopies(h *host.Host, name string) string {
	facts, _ := h.SymbolFacts([]string{name}, false)
	clones := slices.DeleteFunc(slices.Clone(facts[name].Clones), func(clone string) bool {
		return strings.Contains(clone, ".cold") // a part that only the function itself jumps to
	})
	if len(clones) > 0 {
		return "is also compiled as " + strings.Join(clones, ", ") + ", which its callers may call instead"
	}
	if h.Symbols.IsLocal(name) {
		return "is static, so the compiler may have put it into its callers instead"
	}
	if len(facts[name].Offsets) > 0 {
		return "may have been called where the compiler has put it into callers of its own source file: trace one of these"
	}
	return ""
}
