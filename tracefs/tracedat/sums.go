package tracedat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// tsnoop stores in a table at the end of the file what each page was like when it was
// recorded. An option of its own says where. trace-cmd skips the option, and does not look
// at what follows the pages.

// A Sum says what a page was like when it was recorded.
type Sum struct {
	CPU    int
	Page   int    // index among the CPU's pages
	Events uint32 // in the page
	CRC    uint32 // CRC-32C of the page
}

// SumSize is the size of an encoded Sum in bytes.
const SumSize = 16

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The entry after the table is about the head: all that precedes the pages. Its CPU is
// headCPU, which no machine has, and its Events are the bytes of the head.
const headCPU = 0xffff

// CRC returns the checksum of a page.
func CRC(page []byte) uint32 { return crc32.Checksum(page, castagnoli) }

// Append encodes s: the CPU (16 bits), a checksum of the rest (16 bits), and the other
// fields (32 bits each).
func (s Sum) Append(b []byte, bigEndian bool) []byte {
	order := appendOrder(bigEndian)
	at := len(b)
	b = order.AppendUint16(b, uint16(s.CPU))
	b = order.AppendUint16(b, 0)
	b = order.AppendUint32(b, uint32(s.Page))
	b = order.AppendUint32(b, s.Events)
	b = order.AppendUint32(b, s.CRC)
	check := order.AppendUint16(nil, checkOf(b[at:]))
	copy(b[at+2:], check)
	return b
}

// checkOf returns the checksum of an encoded Sum. It is not 0 if all of it is.
func checkOf(b []byte) uint16 {
	sum := crc32.Update(crc32.Checksum(b[:2], castagnoli), castagnoli, b[4:SumSize])
	return ^uint16(sum ^ sum>>16)
}

// ParseSum decodes what Append has encoded. It reports whether it is intact.
func ParseSum(b []byte, bigEndian bool) (s Sum, ok bool) {
	order := byteOrder(bigEndian)
	s = Sum{int(order.Uint16(b)), int(order.Uint32(b[4:])), order.Uint32(b[8:]), order.Uint32(b[12:])}
	return s, order.Uint16(b[2:]) == checkOf(b)
}

func appendOrder(bigEndian bool) binary.AppendByteOrder {
	if bigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func byteOrder(bigEndian bool) binary.ByteOrder {
	if bigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// The option has the ID "su". Its data is sumsMagic, the version and the compression of
// the file for which it is right, which another program may have converted, the offset of
// the table and the number of pages of each CPU, and a checksum of all that.
const (
	optSums   = 0x7375
	sumsMagic = "TSUM\x01"
)

// A DamagedPage is the error for a page that is not as it was recorded. The pages after it
// can be read.
type DamagedPage struct {
	CPU    int
	Size   int    // bytes
	Events uint32 // that were in it
}

func (e *DamagedPage) Error() string {
	return fmt.Sprintf("CPU %d: a page of %d bytes with %d events is damaged", e.CPU, e.Size, e.Events)
}

func (e *DamagedPage) Unwrap() error { return ErrDamaged }

// encodeSums returns the option of a table at the offset at.
func (wr *writer) encodeSums(at int64) string {
	e := wr.h.encoder()
	e.text(sumsMagic)
	e.b = append(e.b, byte(wr.h.Version), byteOf(wr.h.Zstd))
	e.u64(at)
	e.u32(len(wr.cpus))
	for _, c := range wr.cpus {
		e.u64(c.Size / int64(wr.h.PageSize))
	}
	e.u32(int(crc32.Checksum(e.b, castagnoli)))
	return string(e.b)
}

func byteOf(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// writeSums writes the table at the offset at, and what the head was like. Pages without a
// Sum get zeros.
func (wr *writer) writeSums(at int64, head []byte) error {
	if wr.h.Sums == nil {
		return nil
	}
	tables, end := make([]sumTable, len(wr.cpus)), at
	for i, c := range wr.cpus {
		pages := c.Size / int64(wr.h.PageSize)
		tables[i] = sumTable{at: end, pages: int(pages)}
		end += pages * SumSize
	}
	// The parts that are not written below are holes.
	last := Sum{CPU: headCPU, Events: uint32(len(head)), CRC: CRC(head)}.Append(nil, wr.h.BigEndian)
	if err := wr.writeAt(last, end); err != nil {
		return err
	}
	var b [SumSize]byte
	for {
		_, err := io.ReadFull(wr.h.Sums, b[:])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			return fmt.Errorf("checksums: %w", err)
		}
		s, ok := ParseSum(b[:], wr.h.BigEndian)
		if !ok || s.CPU >= len(tables) || s.Page >= tables[s.CPU].pages {
			continue
		}
		if err := tables[s.CPU].add(wr, s.Page, b[:]); err != nil {
			return err
		}
	}
	for i := range tables {
		if err := tables[i].flush(wr); err != nil {
			return err
		}
	}
	return nil
}

// A sumTable is the part of a table for one CPU, with successive Sums that are not written
// yet.
type sumTable struct {
	at    int64
	pages int
	first int // page of the first in buf
	buf   []byte
}

func (t *sumTable) add(wr *writer, page int, sum []byte) error {
	if len(t.buf) == 4096 || page != t.first+len(t.buf)/SumSize {
		if err := t.flush(wr); err != nil {
			return err
		}
	}
	if len(t.buf) == 0 {
		t.first = page
	}
	t.buf = append(t.buf, sum...)
	return nil
}

func (t *sumTable) flush(wr *writer) error {
	if len(t.buf) == 0 {
		return nil
	}
	err := wr.writeAt(t.buf, t.at+int64(t.first)*SumSize)
	t.buf = t.buf[:0]
	return err
}

// readSums reads the option. at is its offset.
func (o *opener) readSums(data []byte, at int64) {
	rest, ok := bytes.CutPrefix(data, []byte(sumsMagic))
	if !ok || len(rest) < 18 || o.order.Uint32(data[len(data)-4:]) != crc32.Checksum(data[:len(data)-4], castagnoli) {
		o.damaged(&Error{"option of checksums", at, ErrDamaged})
		return
	}
	o.sumsFor = [2]byte(rest)
	table := int64(o.order.Uint64(rest[2:]))
	n := int(o.order.Uint32(rest[10:]))
	rest = rest[14 : len(rest)-4]
	if n > maxCPUs || len(rest) != 8*n || table < 0 || table > 1<<60 {
		o.damaged(&Error{"option of checksums", at, ErrDamaged})
		return
	}
	for id := range n {
		pages := int64(o.order.Uint64(rest[8*id:]))
		if pages < 0 || pages > 1<<40 {
			o.damaged(&Error{"option of checksums", at, ErrDamaged})
			return
		}
		o.sums = append(o.sums, sumSpan{table, pages})
		table += pages * SumSize
	}
}

// A sumSpan is where the Sums of a CPU are.
type sumSpan struct{ off, pages int64 }

// finishSums gives each CPU of the top-level buffer its checksums.
func (o *opener) finishSums() {
	zstd := byteOf(o.Compression == "zstd")
	if len(o.sums) == 0 || o.sumsFor != [2]byte{byte(o.Version), zstd} || len(o.Buffers) == 0 || o.Buffers[0].Name != "" || !o.sumsHere() {
		return // or another program has converted the file
	}
	for i := range o.Buffers[0].CPUs {
		c := &o.Buffers[0].CPUs[i]
		if c.ID >= len(o.sums) {
			continue
		}
		span := o.sums[c.ID]
		if !c.Compressed && c.Size != span.pages*int64(c.pageSize) {
			o.damaged(&Error{"number of pages of CPU " + fmt.Sprint(c.ID), span.off, ErrDamaged})
			continue
		}
		if span.pages > 0 && span.off+span.pages*SumSize > o.size {
			o.damaged(&Error{"checksums", o.size, ErrTruncated})
			continue
		}
		c.sums = span
	}
}

// sumsHere reports whether this is the file that the table was written for, and not one
// that another program has made of it: one of the table's ends is there.
func (o *opener) sumsHere() bool {
	last := o.sums[len(o.sums)-1]
	for _, at := range []int64{o.sums[0].off, last.off + (last.pages-1)*SumSize} {
		if _, ok := o.sumAt(at); ok {
			return true
		}
	}
	return false
}

// sumAt returns the Sum at an offset in the file, if there is one.
func (o *opener) sumAt(at int64) (s Sum, ok bool) {
	var b [SumSize]byte
	if _, err := o.r.ReadAt(b[:], max(at, 0)); err != nil {
		return s, false
	}
	return ParseSum(b[:], o.BigEndian)
}

// checkHead compares the head to its checksum, if that is the end of the file: older versions
// of tsnoop, and other programs, do not write it.
func (o *opener) checkHead() {
	s, ok := o.sumAt(o.size - SumSize)
	size := int64(s.Events)
	if !ok || s.CPU != headCPU || size > o.size {
		return
	}
	h := crc32.New(castagnoli)
	if n, err := io.Copy(h, io.NewSectionReader(o.r, 0, size)); err != nil {
		o.damaged(&Error{"what precedes the pages", n, err})
	} else if h.Sum32() != s.CRC {
		err := fmt.Errorf("%w: a name, a type or a value may be wrong", ErrDamaged)
		o.damaged(&Error{fmt.Sprintf("a part of the first %d bytes, which begin", size), 0, err})
	}
}

// check compares the next page to its checksum. A page without one is taken as it is.
func (p *PageReader) check(page []byte) error {
	n := p.page
	p.page++
	if n >= p.c.sums.pages {
		return nil
	}
	const block = 256 * SumSize
	at := n * SumSize % block
	if at == 0 || p.sumBlock == nil {
		first := n*SumSize - at
		p.sumBlock = make([]byte, min(block, p.c.sums.pages*SumSize-first))
		if got, err := p.c.file.r.ReadAt(p.sumBlock, p.c.sums.off+first); got < len(p.sumBlock) {
			p.fail(p.c.sums.off, err) // the rest are zeros, and no checksums
		}
	}
	s, ok := ParseSum(p.sumBlock[at:], p.c.file.BigEndian)
	if ok && s.CPU == p.c.ID && int64(s.Page) == n && s.CRC != CRC(page) {
		return &DamagedPage{p.c.ID, len(page), s.Events}
	}
	return nil
}
