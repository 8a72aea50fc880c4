package symbols

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// find searches the memory of a kernel that does not say where its symbol tables are, as
// none did before 6.0. The tables are after the code, one after the other, each aligned
// to 8 bytes: offsets, relative_base, num_syms, names, markers, token_table and
// token_index. Their content is checked when they are read, not here. They are constants,
// which begin at least so many bytes after the start of the code.
func (c *core) find(constants uint64) error {
	stext, ok := c.known["_stext"]
	if !ok {
		return errors.New("where _stext is is not known")
	}
	const (
		step  = 256 << 10 // bytes read at a time
		whole = 64 << 20  // bytes, more than code and constants have
	)
	for at := stext + constants; at < stext+whole; at += step {
		part, err := c.Bytes(at, step+len(digits)-1)
		if err != nil {
			break
		}
		for from := 0; ; {
			i := bytes.Index(part[from:], digits)
			if i < 0 {
				break
			}
			if c.found(stext, at+uint64(from+i)) {
				return nil
			}
			from += i + 1
		}
	}
	return errors.New("there is no symbol table after the code")
}

// digits are part of token_table: each is a token of its own, because names use all of them.
var digits = []byte("0\x001\x002\x003\x004\x005\x006\x007\x008\x009\x00")

// found notes the addresses of the tables if the token of the digit 0 is at zero.
func (c *core) found(stext, zero uint64) bool {
	const before, behind = 128 << 10, 8 << 10 // bytes, more than markers, and token_table with token_index, have
	start := (max(stext, zero-before) + 7) &^ 7
	part, err := c.Bytes(start, int(zero-start)+behind)
	if err != nil {
		return false
	}
	tokens, index, ok := c.tokensAround(part, int(zero-start))
	if !ok {
		return false
	}
	markers, last, ok := c.markersBefore(part, tokens)
	if !ok {
		return false
	}
	groups := (tokens - markers) / 4 // one too many if the last is padding
	// The last group has at most 256 names of at most 255 bytes.
	const longest = 256 * 256
	end := (start + uint64(markers) - uint64(last)) &^ 7
	begin := (max(stext, end-longest) + 7) &^ 7
	if part, err = c.Bytes(begin, int(end-begin)); err != nil || len(part) < int(end-begin) {
		return false
	}
	for names := len(part); names >= 16; names -= 8 {
		n := int(c.ByteOrder.Uint32(part[names-8:]))
		base := c.ByteOrder.Uint64(part[names-16:])
		if n <= 256*(groups-2) || n > 256*groups || base > stext || stext-base > 1<<24 {
			continue
		}
		at := end - uint64(len(part)-names)
		c.known["kallsyms_names"] = at
		c.known["kallsyms_num_syms"] = at - 8
		c.known["kallsyms_relative_base"] = at - 16
		c.known["kallsyms_offsets"] = at - 16 - uint64(4*n+7)&^7
		c.known["kallsyms_token_table"] = start + uint64(tokens)
		c.known["kallsyms_token_index"] = start + uint64(index)
		return true
	}
	return false
}

// tokensAround returns the offsets in part of token_table and token_index. zero is that of
// the token of the digit 0. token_index has the offset in token_table of each token.
func (c *core) tokensAround(part []byte, zero int) (table, index int, ok bool) {
	var begins [256]int // offsets of tokens from that of the digit 0
	end := zero
	for i := '0'; i < 256; i++ {
		begins[i] = end - zero
		n := bytes.IndexByte(part[end:], 0)
		if n < 0 {
			return 0, 0, false
		}
		end += n + 1
	}
	index = (end + 7) &^ 7
	if len(part) < index+2*256 {
		return 0, 0, false
	}
	at := func(i rune) int { return int(c.ByteOrder.Uint16(part[index+2*int(i):])) }
	for i := '0'; i < 256; i++ {
		if at(i)-at('0') != begins[i] {
			return 0, 0, false
		}
	}
	table = zero - at('0')
	return table, index, at(0) == 0 && table >= 8 && table%8 == 0
}

// markersBefore returns the offset in part of markers, which end at end, and the last of
// them. They are the offsets of every 256th name.
func (c *core) markersBefore(part []byte, end int) (markers, last int, ok bool) {
	at := func(i int) int { return int(c.ByteOrder.Uint32(part[i:])) }
	markers = end - 4
	if at(markers) == 0 {
		markers -= 4 // padding
	}
	for last = at(markers); at(markers) > 0; markers -= 4 {
		if markers < 4 || at(markers-4) >= at(markers) {
			return 0, 0, false
		}
	}
	return markers, last, true
}

// constantsBehind returns how many bytes after the start of the kernel's code its
// constants begin, from the text of /proc/iomem; 0 if that does not say. On x86 it does:
//
//	2f600000-302025f1 : Kernel code
//	30400000-30adefff : Kernel rodata
func constantsBehind(iomem []byte) uint64 {
	begin := func(what string) uint64 {
		for line := range bytes.Lines(iomem) {
			span, name, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" : "))
			if from, _, _ := bytes.Cut(span, []byte("-")); string(name) == what {
				addr, _ := strconv.ParseUint(string(from), 16, 64)
				return addr
			}
		}
		return 0
	}
	code, constants := begin("Kernel code"), begin("Kernel rodata")
	if code == 0 || constants < code {
		return 0
	}
	return constants - code
}

func readConstantsBehind() uint64 {
	b, _ := os.ReadFile("/proc/iomem") // without it everything is searched
	return constantsBehind(b)
}
