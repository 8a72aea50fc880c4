package btf_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tsnoop/tsnoop/btf"
)

// pahole is what that tool says of a member.
type pahole struct {
	Name      string
	Offset    uint32 // bytes
	Bit, Bits uint32 // of a bit field: from the start of the struct, and its width; else 0
	Size      uint32 // bytes, 0 for bit fields
}

var (
	paholeHead   = regexp.MustCompile(`^struct (\w+) \{`)
	paholeMember = regexp.MustCompile(`^\t+[^*}].*?(?:\(\*(\w+)\)\(.*\)|(\w+)(?:\[\d*\])*|(\w+):(\d+)); +/\* +(\d+)(?:: *(\d+))? +(\d+) \*/$`)
)

// readPahole returns the members of every struct of the file, those of
// anonymous members in their place.
func readPahole(t *testing.T, file string) map[string][]pahole {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) uint32 {
		n, _ := strconv.ParseUint(s, 10, 32)
		return uint32(n)
	}
	structs := map[string][]pahole{}
	name := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if m := paholeHead.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		m := paholeMember.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		p := pahole{Name: m[1] + m[2] + m[3], Offset: number(m[5])}
		if m[4] == "" {
			p.Size = number(m[7])
		} else {
			p.Bit, p.Bits = p.Offset*8+number(m[6]), number(m[4])
			p.Offset = p.Bit / 8 // pahole gives the storage unit's
		}
		structs[name] = append(structs[name], p)
	}
	return structs
}

// TestMembersLikePahole compares every member with another tool's view of the
// same source.
func TestMembersLikePahole(t *testing.T) {
	structs := readPahole(t, filepath.Join("..", "testdata", "btf", "sample.pahole"))
	maps.Copy(structs, readPahole(t, filepath.Join("testdata", "snoop-mod.pahole")))
	for name, count := range map[string]int{"pkt": 33, "dev": 15, "mod_frame": 10} {
		if got := len(structs[name]); got != count {
			t.Errorf("read %d members of struct %s from pahole's output, want %d", got, name, count)
		}
		typ := mustType(t, withModule(), "struct "+name)
		var got []pahole
		for _, member := range btf.Members(typ) {
			place, err := btf.Member(typ, member)
			if err != nil {
				t.Errorf("Member(struct %s, %s): %v", name, member, err)
				continue
			}
			p := pahole{Name: member, Offset: place.Offset, Bits: place.BitSize}
			if place.BitSize > 0 {
				p.Bit = place.BitOffset
			} else if size, ok := btf.Size(place.Type); ok {
				p.Size = uint32(size)
			}
			if place.BitOffset/8 != place.Offset {
				t.Errorf("Member(struct %s, %s): offset %d, but bit offset %d", name, member, place.Offset, place.BitOffset)
			}
			got = append(got, p)
		}
		if diff := cmp.Diff(structs[name], got); diff != "" {
			t.Errorf("struct %s, -pahole +got:\n%s", name, diff)
		}
	}
}

func TestMember(t *testing.T) {
	k := sample()
	for _, tt := range []struct {
		typ, name string
		wantType  string
		want      btf.Place // without Type
	}{
		{"struct pkt", "dev", "struct dev *", btf.Place{Offset: 8, BitOffset: 64}}, // in a struct in a union, both anonymous
		{"struct pkt", "list", "struct list_head", btf.Place{}},
		{"struct in6_addr", "u6_addr32", "__be32 [4]", btf.Place{}},
		{"struct pkt", "kind", "u8", btf.Place{Offset: 44, BitOffset: 353, BitSize: 3}},
		{"struct pkt", "delta", "int", btf.Place{Offset: 45, BitOffset: 360, BitSize: 5}},
		{"struct pkt", "wide_bits", "u32", btf.Place{Offset: 48, BitOffset: 384, BitSize: 31}},
		{"struct pkt", "destructor", "void (*)(struct pkt *)", btf.Place{Offset: 224, BitOffset: 1792}},
		{"struct pkt", "flags", "const volatile long unsigned int", btf.Place{Offset: 232, BitOffset: 1856}},
		{"struct pkt", "tail", "u8 []", btf.Place{Offset: 5080, BitOffset: 40640}},
		{"atomic_t", "counter", "int", btf.Place{}}, // through a typedef of a struct without a tag
		{"refcount_t", "refs", "atomic_t", btf.Place{}},
		{"const struct path", "dentry", "struct pkt *", btf.Place{Offset: 8, BitOffset: 64}},
	} {
		got, err := btf.Member(mustType(t, k, tt.typ), tt.name)
		if err != nil {
			t.Errorf("Member(%s, %s): %v", tt.typ, tt.name, err)
			continue
		}
		typ := btf.Name(got.Type)
		typ = strings.Replace(typ, "volatile const", "const volatile", 1) // gcc's order is not the source's
		got.Type = nil
		if got != tt.want || typ != tt.wantType {
			t.Errorf("Member(%s, %s) = %+v of type %s, want %+v of type %s", tt.typ, tt.name, got, typ, tt.want, tt.wantType)
		}
	}
}

func TestMemberErrors(t *testing.T) {
	k := sample()
	for _, tt := range []struct {
		typ, name string
		near      []string
	}{
		{"struct pkt", "protcol", []string{"protocol"}},
		{"struct pkt", "nxet", []string{"next", "list.next"}},
		{"struct pkt", "prev", []string{"list.prev"}}, // of a struct in it
		{"struct pkt", "", nil},
		{"struct list_head", "nosuch", nil},
	} {
		_, err := btf.Member(mustType(t, k, tt.typ), tt.name)
		var got *btf.NotFoundError
		if !errors.As(err, &got) {
			t.Errorf("Member(%s, %s): %v, want a *NotFoundError", tt.typ, tt.name, err)
			continue
		}
		want := btf.NotFoundError{What: "member", Name: tt.name, In: tt.typ, Suggestions: tt.near}
		if diff := cmp.Diff(want, *got, cmpopts.IgnoreFields(*got, "All")); diff != "" {
			t.Errorf("Member(%s, %s), -want +got:\n%s", tt.typ, tt.name, diff)
		}
	}
	for name, want := range map[string]error{
		"struct opaque": btf.ErrIncomplete,
		"struct sock":   btf.ErrIncomplete,
		"struct pkt *":  btf.ErrNoMembers,
		"u32":           btf.ErrNoMembers,
		"enum level":    btf.ErrNoMembers,
		"void":          btf.ErrNoMembers,
	} {
		if _, err := btf.Member(mustType(t, k, name), "len"); !errors.Is(err, want) {
			t.Errorf("Member(%s, len): %v, want %v", name, err, want)
		}
	}
}

func TestMembers(t *testing.T) {
	k := sample()
	for name, want := range map[string][]string{
		"struct in6_addr": {"u6_addr8", "u6_addr32"},
		"struct ops":      {"open", "close"},
		"kuid_t":          {"val"},
		"struct opaque":   nil,
		"u32":             nil,
		"struct pkt *":    nil,
	} {
		if diff := cmp.Diff(want, btf.Members(mustType(t, k, name))); diff != "" {
			t.Errorf("Members(%s), -want +got:\n%s", name, diff)
		}
	}
	got := btf.Members(mustType(t, k, "struct pkt"))
	if want := []string{"next", "dev", "list", "sk"}; !slices.Equal(got[:4], want) {
		t.Errorf("Members(struct pkt) begins with %q, want %q", got[:4], want)
	}
}
