package btf_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tsnoop/tsnoop/btf"
)

func TestEnumerator(t *testing.T) {
	k := built(t,
		&btf.Enum{Name: "color", Size: 4, Values: []btf.EnumValue{{Name: "RED", Value: 1}, {Name: "GREEN", Value: 2}}},
		&btf.Enum{Name: "lamp", Size: 4, Values: []btf.EnumValue{{Name: "RED", Value: 7}, {Name: "GREEN", Value: 2}}},
		&btf.Enum{Size: 4, Values: []btf.EnumValue{{Name: "UP", Value: 3}}},
		&btf.Enum{Name: "level", Size: 4, Signed: true, Values: []btf.EnumValue{{Name: "LOW", Value: ^uint64(1)}, {Name: "HIGH", Value: 2}}},
		&btf.Enum{Name: "wide", Size: 8, Values: []btf.EnumValue{{Name: "TOP", Value: 1 << 63}, {Name: "ALL", Value: ^uint64(0)}}},
	)
	for _, tt := range []struct {
		typ, name string // typ may be ""
		want      int64
	}{
		{"enum color", "RED", 1},
		{"enum lamp", "RED", 7},
		{"const enum lamp", "RED", 7},
		{"", "GREEN", 2}, // the same in both
		{"", "UP", 3},    // of an enum without a name
		{"", "LOW", -2},
		{"enum level", "LOW", -2},
		{"", "TOP", -1 << 63},
		{"enum wide", "ALL", -1},
		{"int", "UP", 3}, // no enum: any
		{"void *", "HIGH", 2},
	} {
		var typ btf.Type
		if tt.typ != "" {
			typ = mustType(t, k, tt.typ)
		}
		if got, err := k.Enumerator(typ, tt.name); got != tt.want || err != nil {
			t.Errorf("Enumerator(%s, %s) = %d, %v, want %d", tt.typ, tt.name, got, err, tt.want)
		}
	}

	_, err := k.Enumerator(nil, "RED")
	if err == nil || !strings.Contains(err.Error(), "enum color") || !strings.Contains(err.Error(), "enum lamp") {
		t.Errorf("Enumerator(nil, RED): %v, want an error that names both enums", err)
	}
	for _, tt := range []struct {
		typ  string
		want btf.NotFoundError
	}{
		{"", btf.NotFoundError{What: "enum constant", Name: "GREAN", In: "vmlinux"}},
		{"enum lamp", btf.NotFoundError{What: "enum constant", Name: "GREAN", In: "enum lamp", Suggestions: []string{"GREEN"}}},
		{"enum level", btf.NotFoundError{What: "enum constant", Name: "GREAN", In: "enum level"}}, // another enum's
	} {
		var typ btf.Type
		if tt.typ != "" {
			typ = mustType(t, k, tt.typ)
		}
		_, err := k.Enumerator(typ, tt.want.Name)
		var got *btf.NotFoundError
		if !errors.As(err, &got) {
			t.Errorf("Enumerator(%s, GREAN): %v, want a *NotFoundError", tt.typ, err)
		} else if diff := cmp.Diff(tt.want, *got, cmpopts.IgnoreFields(*got, "All")); diff != "" {
			t.Errorf("Enumerator(%s, GREAN), -want +got:\n%s", tt.typ, diff)
		}
	}
	if got := k.SimilarConstants("GREAN"); !slices.Equal(got, []string{"GREEN"}) {
		t.Errorf("SimilarConstants(GREAN) = %q", got)
	}
}

// TestEnumeratorSample asks for constants as compilers and pahole encode them.
func TestEnumeratorSample(t *testing.T) {
	for name, want := range map[string]int64{
		"PKT_HOST": 0, "PKT_BROADCAST": 1, "PKT_OUTGOING": 4, "STATE_UP": 1, "STATE_DOWN": 2, "LEVEL_LOW": -2, "LEVEL_HIGH": 2,
	} {
		if got, err := sample().Enumerator(nil, name); got != want || err != nil {
			t.Errorf("Enumerator(nil, %s) = %d, %v, want %d", name, got, err, want)
		}
	}
}

func TestEnumName(t *testing.T) {
	level := &btf.Enum{Size: 4, Signed: true, Values: []btf.EnumValue{{Name: "LOW", Value: ^uint64(1)}, {Name: "HIGH", Value: 2}, {Name: "TWO", Value: 2}}}
	byteEnum := &btf.Enum{Size: 1, Values: []btf.EnumValue{{Name: "ZERO"}, {Name: "FULL", Value: 0xff}}}
	wide := &btf.Enum{Size: 8, Values: []btf.EnumValue{{Name: "ALL", Value: ^uint64(0)}}}
	for _, tt := range []struct {
		enum  *btf.Enum
		value uint64
		want  string
	}{
		{level, 2, "HIGH"}, // the first of two
		{level, ^uint64(1), "LOW"},
		{level, 0xfffffffe, "LOW"}, // not extended
		{level, 0xdead_0000_0002, "HIGH"},
		{level, 3, ""},
		{byteEnum, 0x100, "ZERO"},
		{byteEnum, ^uint64(0), "FULL"},
		{byteEnum, 0xff, "FULL"},
		{wide, ^uint64(0), "ALL"},
		{wide, 0xffffffff, ""},
		{&btf.Enum{}, 0, ""},
	} {
		if got := btf.EnumName(tt.enum, tt.value); got != tt.want {
			t.Errorf("EnumName(%v, %#x) = %q, want %q", tt.enum.Values, tt.value, got, tt.want)
		}
	}
}
