package tracedat

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// An unpacker decompresses the blocks of files. A decoder takes some MB, so all readers
// of a file share it.
type unpacker struct {
	mu   sync.Mutex // guards the fields below
	zstd *zstd.Decoder
	zlib io.ReadCloser
	in   bytes.Reader
	free []byte // a chunk that nobody needs any more
}

// keep keeps a chunk for another reader.
func (u *unpacker) keep(chunk []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if cap(chunk) > cap(u.free) {
		u.free = chunk
	}
}

// room returns a slice of size bytes, which may have more room: chunks of different sizes
// use the same memory.
func (u *unpacker) room(size int) (b []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if cap(u.free) >= size {
		b, u.free = u.free[:size], nil
		return b
	}
	return make([]byte, size)
}

// unpack decompresses src, which becomes size bytes, into buf, or into a new slice if
// buf is too small. how is the compression of the file. The error wraps ErrDamaged.
func (u *unpacker) unpack(how string, buf, src []byte, size int) ([]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	var n int
	var err error
	switch how {
	case "zstd":
		n, err = u.unpackZstd(buf, src)
	case "zlib":
		n, err = u.unpackZlib(buf, src)
	default:
		return nil, fmt.Errorf("%w: compressed with %s", ErrDamaged, how)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, how, err)
	}
	if n != size {
		return nil, fmt.Errorf("%w: %d bytes decompressed, not %d", ErrDamaged, n, size)
	}
	return buf, nil
}

func (u *unpacker) unpackZstd(dst, src []byte) (int, error) {
	if u.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxText), zstd.WithDecodeAllCapLimit(true))
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
