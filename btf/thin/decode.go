package thin

import (
	"bytes"
	"encoding/binary"
	"fmt"

	cbtf "github.com/cilium/ebpf/btf"
)

// maxDepth is how many types may lead from one to the next until all are decoded. The
// types of a whole kernel have some 250.
const maxDepth = 4096

// Decode decodes BTF. The decoder goes from a type to those that it refers to by
// recursion, which a crafted file could make so deep that the stack takes gigabytes: such
// BTF is refused. All is decoded at once, in the order that was checked, unless lazy is
// set; what is decoded later may go a little deeper. Split BTF has its base, and the size of
// that.
func Decode(data []byte, base *cbtf.Spec, size Size, lazy bool) (*cbtf.Spec, error) {
	if err := Check(data, size); err != nil {
		return nil, err
	}
	spec, err := cbtf.LoadSplitSpecFromReader(bytes.NewReader(data), base)
	if err != nil || lazy {
		return spec, err
	}
	for _, err := range spec.All() {
		if err != nil {
			break // damaged from here on: what came before still counts
		}
	}
	return spec, nil
}

// Check returns an error if BTF must not be decoded, see Decode and checkNames, or if a name in
// it has bytes that no kernel accepts: they would end lines or act on a terminal.
func Check(data []byte, base Size) error {
	if at := unprintable(data); at >= 0 {
		return fmt.Errorf("damaged: byte %d is %#02x, in a name", at, data[at])
	}
	r, err := Parse(data)
	if err != nil {
		return nil // damaged, which the decoder finds before it begins
	}
	if id := r.deep(base.Types); id != 0 {
		return fmt.Errorf("damaged: type %d leads from one type to the next, through more than %d", id, maxDepth)
	}
	return r.checkNames(base.Strings)
}

// unprintable returns the offset of the first byte in names that is not printable ASCII,
// as __btf_name_char_ok in kernel/bpf/btf.c and its like require, or -1.
func unprintable(data []byte) int {
	const head = 24
	if len(data) < head {
		return -1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xeb {
		order = binary.BigEndian
	}
	u32 := func(at int) uint64 { return uint64(order.Uint32(data[at:])) }
	begin := int(min(u32(4)+u32(16), uint64(len(data))))
	end := int(min(uint64(begin)+u32(20), uint64(len(data))))
	for i, c := range data[begin:end] {
		if c != 0 && (c < ' ' || c > '~') {
			return begin + i
		}
	}
	return -1
}

// deep returns the id of a type from which the decoder goes too deep if it decodes all
// types in order, or 0. Ids up to base are those of types that have been decoded.
func (r *BTF) deep(base uint32) (id uint32) {
	type open struct {
		id   uint32
		next uint32 // index of the next reference to follow
	}
	seen := make([]bool, len(r.offsets))
	var stack []open
	for root := 1; root < len(r.offsets); root++ {
		if seen[root] {
			continue
		}
		seen[root] = true
		stack = append(stack[:0], open{id: uint32(root)})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			to, ok := r.reference(top.id, top.next)
			if !ok {
				stack = stack[:len(stack)-1]
				continue
			}
			top.next++
			if to -= base; to == 0 || int(to) >= len(seen) || seen[to] {
				continue
			}
			seen[to] = true
			if stack = append(stack, open{id: to}); len(stack) > maxDepth {
				return uint32(root) + base
			}
		}
	}
	return 0
}

// reference returns the i-th id that a type refers to, in the order of the decoder, and
// false if there are fewer.
func (r *BTF) reference(id, i uint32) (to uint32, ok bool) {
	b := r.types[r.offsets[id]:]
	vlen, at := order.Uint32(b[4:])&0xffff, uint32(0)
	switch kindOf(b) {
	case kindPtr, kindTypedef, kindVolatile, kindConst, kindRestrict, kindFunc, kindTypeTag, kindVar, kindDeclTag:
		vlen, at = 1, 8
	case kindArray:
		vlen, at = 2, 16-4*i // the type of its index first
	case kindStruct, kindUnion:
		at = 12 + 12*i + 4
	case kindDatasec:
		at = 12 + 12*i
	case kindFuncProto:
		if vlen++; i == 0 {
			at = 8
		} else {
			at = 12 + 8*(i-1) + 4
		}
	default:
		return 0, false
	}
	if i >= vlen {
		return 0, false
	}
	return order.Uint32(b[at:]), true
}
