package tracepoint

import "testing"

// TestField derives from the kernel's declarations of fields what their records hold, and
// whether the kernel's filter compares them.
func TestField(t *testing.T) {
	for _, tt := range []struct {
		decl    string
		size    int
		element string
		array   bool
		dynamic bool
		text    bool
		filters bool
	}{
		{"int", 4, "int", false, false, false, true},
		{"char[16]", 16, "char", true, false, true, true},
		{"const char *", 8, "const char *", false, false, false, false},
		{"const void *", 8, "const void *", false, false, false, true},
		{"u8[6]", 6, "u8", true, false, false, false},
		{"__data_loc char[]", 4, "char", true, true, true, true},
		{"__rel_loc char[]", 4, "char", true, true, true, true},
		{"__data_loc u64[]", 4, "u64", true, true, false, false},
		{"__rel_loc u8[]", 4, "u8", true, true, false, false},
		{"__data_loc cpumask_t", 4, "cpumask_t", false, true, false, false},
		{"struct in6_addr", 16, "struct in6_addr", false, false, false, false},
	} {
		f := Field{Type: tt.decl, Size: tt.size}
		element, array := f.Element()
		if element != tt.element || array != tt.array || f.IsDynamic() != tt.dynamic || f.IsText() != tt.text || f.Filters() != tt.filters {
			t.Errorf("%s: element %q, array %v, dynamic %v, text %v, filters %v", tt.decl, element, array, f.IsDynamic(), f.IsText(), f.Filters())
		}
	}
}

// TestHolds finds the argument that a field has the address of.
func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		field, argument string
		want            bool
	}{
		{"skbaddr", "skb", true}, {"skaddr", "sk", true}, {"skb", "skb", true}, {"call_site", "call", false}, {"skbaddr", "", false}, {"work_ptr", "work", true},
	} {
		f := Field{Name: tt.field, Type: "const void *", Size: 8}
		if got := f.Holds(tt.argument); got != tt.want {
			t.Errorf("%s holds %q: %v", tt.field, tt.argument, got)
		}
	}
	if f := (Field{Name: "skbaddr", Type: "int", Size: 4}); f.Holds("skb") {
		t.Error("a number holds an argument")
	}
}
