package tracedat

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxChunk limits a chunk of pages, in bytes. trace-cmd's have 10 pages.
const maxChunk = 64 << 20

// An unpacker decompresses blocks, one after another.
type unpacker struct {
	how  string
	zstd *zstd.Decoder
	zlib io.ReadCloser
	in   bytes.Reader
}

func newUnpacker(how string) *unpacker { return &unpacker{how: how} }

// unpack decompresses src, which becomes size bytes, into buf, or into a new slice if
// buf is too small. The error wraps ErrDamaged.
func (u *unpacker) unpack(buf, src []byte, size int) ([]byte, error) {
	// zlib expands a byte to at most 1032, and zstd expands pages less than that unless
	// they are empty: do not allocate memory for what is not there.
	if size > 1<<20 && size/2048 > len(src) {
		return nil, fmt.Errorf("%w: %d bytes out of %d", ErrDamaged, size, len(src))
	}
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	var n int
	var err error
	switch u.how {
	case "zstd":
		n, err = u.unpackZstd(buf, src)
	case "zlib":
		n, err = u.unpackZlib(buf, src)
	default:
		return nil, fmt.Errorf("%w: compressed with %s", ErrDamaged, u.how)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, u.how, err)
	}
	if n != size {
		return nil, fmt.Errorf("%w: %d bytes decompressed, not %d", ErrDamaged, n, size)
	}
	return buf, nil
}

func (u *unpacker) unpackZstd(dst, src []byte) (int, error) {
	if u.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxChunk), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
		u.zstd = d
	}
	out, err := u.zstd.DecodeAll(src, dst[:0:len(dst)])
	return len(out), err
}

func (u *unpacker) unpackZlib(dst, src []byte) (int, error) {
	u.in.Reset(src)
	var err error
	if u.zlib == nil {
		u.zlib, err = zlib.NewReader(&u.in)
	} else {
		err = u.zlib.(zlib.Resetter).Reset(&u.in, nil)
	}
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(u.zlib, dst)
	if err != nil {
		return n, err
	}
	// The checksum follows the last byte.
	var more [1]byte
	if k, err := u.zlib.Read(more[:]); k > 0 || err != io.EOF {
		return n + k, err
	}
	return n, nil
}
