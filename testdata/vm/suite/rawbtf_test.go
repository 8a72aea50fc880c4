//go:build vm

package suite

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
)

// rawBTF are the types of the running kernel, read by what the kernel's
// Documentation/bpf/btf.rst says and by nothing else: a judge of tsnoop's reading.
type rawBTF struct {
	types  []rawType
	byName map[string][]int // structs and unions that have members
}

// The kinds of types.
const (
	rawInt, rawPtr, rawArray, rawStruct, rawUnion, rawEnum, rawFwd = 1, 2, 3, 4, 5, 6, 7
	rawTypedef, rawVolatile, rawConst, rawRestrict                 = 8, 9, 10, 11
	rawFunc, rawProto, rawVar, rawDatasec, rawFloat                = 12, 13, 14, 15, 16
	rawDeclTag, rawTypeTag, rawEnum64                              = 17, 18, 19
)

type rawType struct {
	kind    int
	name    string
	size    int  // bytes, of what has a size of its own
	to      int  // the type that this one points at, stands for, or has elements of
	n       int  // elements
	signed  bool // of an integer or enum
	boolean bool
	char    bool // an integer named char
	members []rawMember
}

type rawMember struct {
	name       string
	typ        int
	bit, width int // from the beginning of the struct; width 0 if it is not a bit field
}

func loadRawBTF(t *testing.T) *rawBTF {
	t.Helper()
	b, err := os.ReadFile(btfFile)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	word := func(at int) int { return int(le.Uint32(b[at:])) }
	if le.Uint16(b) != 0xeb9f {
		t.Fatal("no BTF")
	}
	head := word(4)
	types, end, strs := head+word(8), head+word(8)+word(12), head+word(16)
	text := func(off int) string {
		s := b[strs+off:]
		return string(s[:bytes.IndexByte(s, 0)])
	}
	raw := &rawBTF{types: []rawType{{}}, byName: map[string][]int{}}
	for at := types; at < end; {
		info := word(at + 4)
		vlen, kind, flag := info&0xffff, info>>24&0x1f, info>>31 != 0
		u := rawType{kind: kind, name: text(word(at)), size: word(at + 8), to: word(at + 8)}
		at += 12
		switch kind {
		case rawInt:
			u.signed, u.boolean, u.char = word(at)>>24&1 != 0, word(at)>>24&4 != 0, u.name == "char"
			at += 4
		case rawArray:
			u.to, u.n = word(at), word(at+8)
			at += 12
		case rawStruct, rawUnion:
			for range vlen {
				m := rawMember{name: text(word(at)), typ: word(at + 4), bit: word(at + 8)}
				if flag {
					m.bit, m.width = m.bit&0xffffff, m.bit>>24
				}
				u.members = append(u.members, m)
				at += 12
			}
			if u.name != "" && vlen > 0 {
				raw.byName[u.name] = append(raw.byName[u.name], len(raw.types))
			}
		case rawEnum:
			u.signed = flag
			at += 8 * vlen
		case rawProto:
			at += 8 * vlen
		case rawEnum64:
			u.signed = flag
			at += 12 * vlen
		case rawDatasec:
			at += 12 * vlen
		case rawVar, rawDeclTag:
			at += 4
		}
		raw.types = append(raw.types, u)
	}
	return raw
}

// strip looks through typedefs and qualifiers.
func (r *rawBTF) strip(id int) int {
	for {
		switch r.types[id].kind {
		case rawTypedef, rawVolatile, rawConst, rawRestrict, rawTypeTag:
			id = r.types[id].to
		default:
			return id
		}
	}
}

// whole is the only definition of a struct that is but declared, or the type itself.
func (r *rawBTF) whole(id int) int {
	if u := r.types[id]; u.kind == rawFwd && len(r.byName[u.name]) == 1 {
		return r.byName[u.name][0]
	}
	return id
}

func (r *rawBTF) size(id int) int {
	switch u := r.types[r.strip(id)]; u.kind {
	case rawPtr:
		return 8
	case rawArray:
		return u.n * r.size(u.to)
	case rawInt, rawStruct, rawUnion, rawEnum, rawEnum64, rawFloat:
		return u.size
	}
	return 0
}

// members are those of a struct or union with those of its anonymous ones.
func (r *rawBTF) members(id int) (all []rawMember) {
	for _, m := range r.types[id].members {
		in := r.strip(m.typ)
		if m.name != "" {
			all = append(all, m)
		} else if k := r.types[in].kind; k == rawStruct || k == rawUnion {
			for _, inner := range r.members(in) {
				inner.bit += m.bit
				all = append(all, inner)
			}
		}
	}
	return all
}
