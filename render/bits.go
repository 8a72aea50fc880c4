package render

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// appendBits appends the numbers of the bits that are set in a bitmap, like the kernel's
// %*pbl: "0-3,7".
func appendBits(dst, b []byte) []byte {
	start := len(dst)
	for i := nextBit(b, 0, 1); i < 8*len(b); {
		end := nextBit(b, i, 0)
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(i), 10)
		if end > i+1 {
			dst = strconv.AppendInt(append(dst, '-'), int64(end-1), 10)
		}
		i = nextBit(b, end, 1)
	}
	if len(dst) == start {
		dst = append(dst, "none"...)
	}
	return dst
}

// nextBit returns the first bit from i on that equals bit; 8*len(b) if there is none.
func nextBit(b []byte, i int, bit byte) int {
	for ; i < 8*len(b); i++ {
		if i%8 == 0 && b[i/8] == -(1-bit) {
			i += 7
		} else if b[i/8]>>(i%8)&1 == bit {
			return i
		}
	}
	return 8 * len(b)
}

// bitsText appends the numbers of the bits of x that are set.
func bitsText(_ *Options, t *value.Type, dst []byte, x uint64) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	return appendBits(dst, b[:max((bits.Len64(x)+7)/8, 1)])
}
