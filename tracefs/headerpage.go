package tracefs

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// A HeaderPage holds what events/header_page says about the pages of the ring buffer.
type HeaderPage struct {
	LongSize int // size of the field commit, a C long, in bytes
	Data     int // offset of the records in bytes
	Size     int // size of a sub-buffer of the top-level buffer in bytes
}

// ParseHeaderPage parses events/header_page. If the content makes no sense the error
// wraps ErrFormat.
//
// See Documentation/trace/ring-buffer-design.rst.
func ParseHeaderPage(r io.Reader) (HeaderPage, error) {
	var h HeaderPage
	sc := bufio.NewScanner(r)
	n := 0
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		if !strings.HasPrefix(line, "field:") {
			continue
		}
		f, err := parseField(line)
		if err != nil {
			return h, atLine(n, err)
		}
		switch f.Name {
		case "commit":
			h.LongSize = f.Size
		case "data":
			h.Data, h.Size = f.Offset, f.Offset+f.Size
		}
	}
	if err := sc.Err(); err != nil {
		return h, atLine(n+1, err)
	}
	header := ringbuf.Layout{LongSize: h.LongSize}.HeaderSize()
	if h.LongSize != 4 && h.LongSize != 8 || h.Data != header || h.Size <= h.Data {
		return h, fmt.Errorf("%w: header_page has a commit of %d bytes and data at byte %d of %d", ErrFormat, h.LongSize, h.Data, h.Size)
	}
	return h, nil
}

// PageLayout returns the layout of the session's pages and the size of each in bytes.
func (s *Session) PageLayout() (ringbuf.Layout, int, error) {
	h, err := read(s.fs, "events/header_page", ParseHeaderPage)
	if err != nil {
		return ringbuf.Layout{}, 0, err
	}
	layout := ringbuf.Layout{LongSize: h.LongSize, BigEndian: binary.NativeEndian.Uint16([]byte{0, 1}) == 1}
	// Since 6.8 each instance has its own size; header_page has that of the top level,
	// and not even that after it was changed.
	const file = "buffer_subbuf_size_kb"
	if !s.fs.Exists(s.path(file)) {
		return layout, h.Size, nil
	}
	kb, err := read(s.fs, s.path(file), parseInt)
	return layout, kb << 10, err
}

func parseInt(r io.Reader) (int, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}
